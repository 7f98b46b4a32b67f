#: title    Rate of messages between GPUs, or of the work beside them, over the rate alone
#: table    contention
#: kernel   *
#: x        across
#: xlabel   Mechanism
#: xnames   across_name
#: y        up
#: ylabel   Measured
#: names    up_name
#: series   kernel
#: columns  over_alone spread shown
#: draw     cells
#: remark   Without work: the rate of one message alone is shared by the messages that a GPU sends or receives; 1 is a GPU that uses its link fully. With work, "a beside b" is the rate of a while b goes on over that of a alone. Each cell is of the largest message that was measured both ways. Grey: not measured.
