#: title    The point of each family with the largest share of its roof, the vendor's included
#: table    best
#: kernel   *
#: x        share
#: xlabel   Share of roof (%)
#: xscale   linear
#: y        place
#: names    kernel
#: ylabel   Family
#: interval share_low share_high 95_%_intervals_of_the_median_time
#: series   roof_name
#: draw     across
#: remark   A point whose bar lies beyond 100 % was not bound by that roof: part of its data stayed in a cache, or the roof is too low.
set arrow from first 100, graph 0 to first 100, graph 1 nohead back lc rgb '#555555' lw 0.8 dt 3
