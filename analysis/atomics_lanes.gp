#: title    Rate of atomic additions against the lanes of a warp that share an address
#: kernel   atomics
#: where    variant=add warps=1 step=8 result=unused blocks=0
#: x        lanes
#: xlabel   Lanes that share an address (lanes)
#: xscale   log2
#: derive   per_clock=flops/(time_median*sm_clock)
#: y        per_clock
#: ylabel   Operations per clock (operations)
#: yscale   log10
#: roof     none
#: series   place type
#: panel    place
#: state    block rounds cache
#: remark   Results are not used. An operation on a packed type counts as two.
