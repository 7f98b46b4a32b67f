#: title    Time beyond the roof by bound, per family and for all
#: table    bottlenecks
#: kernel   *
#: x        end
#: xlabel   Time beyond the roof (% of all time)
#: xscale   linear
#: y        place
#: names    kernel
#: ylabel   Kernel family (name)
#: interval start end parts_of_that_time
#: series   bound
#: draw     areas
#: remark   An upper bound of the possible gain: sweeps contain points that are slow by design.
plot @stacks
