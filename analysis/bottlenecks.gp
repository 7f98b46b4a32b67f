#: title    Time spent beyond what the roof needs, by what bounds the points: of each family and of all
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
#: remark   This is work left at most: sweeps hold points that are meant to be slow.
plot @stacks
