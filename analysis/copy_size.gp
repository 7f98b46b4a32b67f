#: title    Copy bandwidth against the size of the arrays
#: kernel   copy
#: where    stride=1 offset=0 cache=cold
#: x        size
#: xlabel   Size of each array (bytes)
#: y        bandwidth
#: series   variant dtype
#: state    vector cache
#: baseline variant=memcpy
plot @curves
