#: title    Empirical distribution of the samples of chosen points
#: table    samples
#: kernel   *
#: x        microseconds
#: xlabel   Time of one launch (µs)
#: y        share
#: ylabel   Samples that took no longer (%)
#: yscale   linear
#: series   point
#: draw     dots
plot for [i = first:last] data index i - 1 using 'x':'y' with steps linecolor rgb colour[i] linewidth curve_width notitle, @dots
