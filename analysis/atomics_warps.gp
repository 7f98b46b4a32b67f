#: title    Rate of atomic additions in L2 against the warps that share addresses
#: kernel   atomics
#: where    variant=add place=global step=8 blocks=0 warps>0 lanes=1,32 result=unused,used
#: x        warps
#: xlabel   Warps that share their addresses (warps)
#: xscale   log2
#: contrast warps
#: derive   per_clock=flops/(time_median*sm_clock)
#: y        per_clock
#: ylabel   Operations per clock (operations)
#: yscale   log10
#: roof     none
#: series   lanes type result
#: panel    lanes
#: state    block rounds cache
