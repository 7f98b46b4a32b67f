#: title    Canary points, measured repeatedly: change of time, clock and power
#: table    canaries
#: kernel   *
#: x        order
#: xlabel   Repetitions in the order of the run (number)
#: xscale   linear
#: y        change
#: ylabel   Change from the first repetition on its device (%)
#: yscale   linear
#: interval change_low change_high 95_%_intervals_of_the_median_time
#: series   quantity device kernel
#: panel    quantity
#: scales   own
#: line     0
