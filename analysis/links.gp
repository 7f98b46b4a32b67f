#: title    Rates and latencies between the GPUs of a node, by the launching GPU and the other one
#: table    links
#: kernel   *
#: x        across
#: xlabel   Launching GPU
#: xnames   across_name
#: y        up
#: ylabel   Other GPU
#: names    up_name
#: series   kernel
#: panel    kernel
#: columns  over_median shown
#: draw     cells
#: remark   One way, all multiprocessors, 16-byte accesses, hot L2. Shades: the rate over the median of the pairs of two GPUs; the diagonal, within one GPU, has none; grey: not measured.
