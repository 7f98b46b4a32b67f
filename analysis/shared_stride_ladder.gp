#: title    Bandwidth of shared memory against the stride within a warp: bank conflicts
#: kernel   shared_stride
#: where    variant=read stride>0
#: x        stride
#: xlabel   Stride (accesses)
#: xscale   linear
#: y        bandwidth
#: yscale   log2
#: series   variant width
#: state    block blocks rounds cache
plot @curves
