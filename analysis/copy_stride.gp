#: title    Copy bandwidth against the stride of the strided side
#: kernel   copy
#: where    variant=load,store vector=1 offset=0
#: x        stride
#: xlabel   Stride (accesses)
#: y        bandwidth
#: series   variant dtype
#: state    size cache
plot @curves
