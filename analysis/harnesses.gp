#: title    Times that other harnesses say, over that of warpsweep in the same state of L2
#: table    harnesses
#: kernel   harness
#: x        duration
#: xlabel   Time of a launch by warpsweep (us)
#: xscale   log10
#: y        ratio
#: ylabel   Time by the harness / by warpsweep
#: yscale   log10
#: roof     none
#: line     1 warpsweep
#: series   compared by
#: panel    compared
#: draw     dots
#: columns  harness cache size rounds
#: remark   Emulated: samples that warpsweep takes as the harness does, and their mean; ncu: its metric, counted by warpsweep. The tools timed the same kernel on the same GPU. Each is compared with warpsweep in the state of L2 that it leaves.
