#: title    Bandwidth of shared memory against the stride within a warp: bank conflicts
#: kernel   shared_stride
#: where    variant=read stride>0
#: x        stride
#: xlabel   Stride (accesses)
#: xscale   linear
#: y        bandwidth
#: yscale   log10
#: law      shared_stride
#: series   variant width
#: draw     dots
#: state    block blocks rounds cache
plot @dots
