#: title    Many runs of one job: times against the last run
#: table    history
#: kernel   *
#: x        order
#: xlabel   Run, in the order of their dates (number)
#: xscale   linear
#: y        change
#: ylabel   Time against the last run (%)
#: yscale   linear
#: interval change_low change_high 95_%_intervals_of_the_mean_ratio_and_of_the_median_times
#: series   kernel quantity
#: panel    quantity
#: scales   own
#: line     0
#: remark   Dotted: lasting changes, in % with 95 % intervals; in the panel of all points, what else changed there.
