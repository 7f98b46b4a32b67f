#: title    What the warps of each family's best point wait for
#: table    stalls
#: kernel   *
#: x        end
#: xlabel   Share of stalled warps (%)
#: xscale   linear
#: y        place
#: names    kernel
#: ylabel   Kernel family (name)
#: interval start end parts_of_the_stalls
#: series   reason
#: draw     areas
#: remark   Reasons below 5 % in every family are among the others.
plot @stacks
