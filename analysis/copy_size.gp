#: title    Copy bandwidth against the size of the arrays
#: kernel   copy
#: where    stride=1 offset=0 cache=cold
#: x        size
#: xlabel   Size of each array (bytes)
#: y        bandwidth
#: finding  size>=1GiB over size=16MiB: Arrays of 1 GiB and more are copied % times as fast as those of 16 MiB.
#: series   variant dtype
#: state    vector cache
#: baseline variant=memcpy
