#: title    Rate of atomic additions against the lanes of a warp that share an address
#: kernel   atomics
#: where    variant=add warps=1 step=8 result=unused blocks=0
#: x        lanes
#: xlabel   Lanes that share an address (lanes)
#: xscale   log2
#: derive   per_clock=flops/(time_median*sm_clock) per_clock_low=per_clock*time_median/time_ci_high per_clock_high=per_clock*time_median/time_ci_low
#: y        per_clock
#: ylabel   Operations per clock (operations)
#: yscale   log10
#: roof     none
#: interval per_clock_low per_clock_high 95_%_intervals_of_the_median_time
#: series   place type
#: panel    place
#: state    block rounds cache
#: remark   Results are not used. An operation on a packed type counts as two.
