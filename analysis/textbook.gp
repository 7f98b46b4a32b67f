#: title    How much faster: what a textbook prints, and what was measured
#: table    textbook
#: kernel   *
#: x        times
#: xlabel   Time before over time after (ratio)
#: xscale   log10
#: y        place
#: names    kernel
#: ylabel   Statement
#: interval low high 95_%_intervals_of_the_ratio_of_the_median_times
#: series   by
#: draw     across
#: remark   A ratio of 1 is no effect.
set arrow from first 1, graph 0 to first 1, graph 1 nohead back lc rgb '#555555' lw 0.8 dt 3
