#: title    Stall reasons of the own kernels that are the best of their family
#: table    stalls
#: kernel   *
#: x        end
#: xlabel   Share of stalled warps (%)
#: xscale   linear
#: y        place
#: names    point
#: ylabel   Kernel
#: interval start end parts_of_the_stalls
#: series   reason
#: draw     areas
#: remark   A kernel that is the best on one device is shown of each. Reasons below 5 % in every family are merged into "others".
