#: title    Copy bandwidth against the distance from an aligned start
#: kernel   copy
#: where    variant=load,store stride=1
#: x        offset
#: xlabel   Offset from the aligned start (elements)
#: xscale   linear
#: y        bandwidth
#: series   variant dtype
#: state    size vector cache
plot @curves
