#: title    Empirical distributions of samples relative to their medians, selected points
#: table    samples
#: kernel   *
#: x        deviation
#: xlabel   Deviation from the median (%)
#: xscale   linear
#: y        share
#: ylabel   Samples (%)
#: yscale   linear
#: series   point
#: columns  decile
#: draw     steps
#: remark   Marks: every tenth of the samples.
