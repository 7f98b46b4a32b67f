#: title    Time above the roof by bound, per family and for all
#: table    bottlenecks
#: kernel   *
#: x        end
#: xlabel   Time above the roof (% of all time)
#: xscale   linear
#: y        place
#: names    kernel
#: ylabel   Kernel family (name)
#: interval start end parts_of_that_time
#: series   bound
#: draw     areas
#: remark   No forecast of a gain: sweeps contain points that are slow by design.
plot @stacks
