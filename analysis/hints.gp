#: title    Copy bandwidth against the size of the arrays, by cache hint
#: kernel   copy
#: where    variant=load vector=4 stride=1 offset=0
#: x        size
#: xlabel   Size of each array (bytes)
#: y        bandwidth
#: series   hint
#: contrast hint
#: state    dtype vector cache
#: baseline hint=default
