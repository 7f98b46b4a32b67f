#: title    Speed-up of the second file over the first, point by point
#: table    ratios
#: kernel   *
#: x        rank
#: xlabel   Points by speed-up (rank)
#: xscale   linear
#: y        speedup
#: ylabel   Speed-up (ratio)
#: yscale   linear
#: interval speedup_low speedup_high 95_%_intervals_of_the_ratio_of_the_median_times
#: series   verdict
#: columns  kernel
#: draw     dots
#: line     1
#: line     mean geometric mean
