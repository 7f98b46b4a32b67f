#: title    Rate, SM clock and power of loads since the first launch
#: table    transients
#: kernel   *
#: x        since
#: xlabel   Time since the first launch (s)
#: xscale   log10
#: y        value
#: ylabel   panel
#: series   point quantity
#: panel    quantity
#: scales   own
#: roof     none
#: remark   The GPU was idle for 3 s before each load. Means of samples, whose times are in /samples; NVML tells the power.
