#: title    Two runs of one device compared point by point: difference of times against duration
#: table    again
#: kernel   *
#: derive   microseconds=1e6*time
#: x        time
#: place    microseconds
#: xlabel   Duration in the first file (µs)
#: xscale   log10
#: y        difference
#: ylabel   Second takes more by (%)
#: yscale   linear
#: interval difference_low difference_high 95_%_intervals_of_the_ratio_of_the_median_times
#: series   verdict
#: draw     dots
#: line     0
