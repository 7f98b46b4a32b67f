#: title    Stall reasons of the best own kernel of each family
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
#: remark   Reasons below 5 % in every family are merged into "others".
