#: title    Speed-up of the second file over the first by family: geometric means of points
#: table    families
#: kernel   *
#: x        speedup
#: xlabel   Speed-up (ratio)
#: xscale   linear
#: y        place
#: names    kernel
#: ylabel   Family
#: interval speedup_low speedup_high 95_%_intervals_of_the_geometric_means
#: series   verdict
#: draw     across
set arrow from first 1, graph 0 to first 1, graph 1 nohead back lc rgb '#555555' lw 0.8
