#: title    Rate of atomic additions in L2 against the warps that share addresses
#: kernel   atomics
#: where    variant=add place=global step=8 blocks=0 warps>0 lanes=1,32 result=unused,used
#: x        warps
#: xlabel   Warps that share their addresses (warps)
#: xscale   log2
#: contrast warps
#: derive   per_clock=flops/(time_median*sm_clock) per_clock_low=per_clock*time_median/time_ci_high per_clock_high=per_clock*time_median/time_ci_low
#: y        per_clock
#: ylabel   Operations per clock (operations)
#: yscale   log10
#: roof     none
#: interval per_clock_low per_clock_high 95_%_intervals_of_the_median_time
#: series   lanes type result
#: panel    lanes
#: state    block rounds cache
