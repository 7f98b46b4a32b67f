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
#: draw     areas
#: remark   Gaussian kernels with Silverman's bandwidth, from the smallest to the largest sample; circle: median.
plot for [i = first:last] data index i - 1 using 'x':'y':'lower' with filledcurves linecolor rgb colour[i] linewidth 0.6 fillstyle solid 0.6 border notitle, \
     for [i = first:last] data index i - 1 using (0):'place' every ::0::0 with points linecolor rgb '#222222' pointtype 6 pointsize mark_size notitle
