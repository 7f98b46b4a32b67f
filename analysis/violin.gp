#: title    Densities of samples relative to their medians, selected points
#: table    densities
#: kernel   *
#: x        deviation
#: xlabel   Deviation from the median (%)
#: xscale   linear
#: y        height
#: names    point
#: ylabel   Point (name)
#: series   point
#: columns  lower place
#: draw     violins
#: remark   Gaussian kernels with Silverman's bandwidth, from the smallest to the largest sample; circle: median.
