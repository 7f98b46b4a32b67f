#: title    Arithmetic rate against arithmetic intensity, with measured roofs
#: table    roofline
#: kernel   *
#: x        intensity
#: xlabel   Arithmetic intensity (flop/byte)
#: xscale   log10
#: y        rate
#: ylabel   Rate (TFLOP/s)
#: yscale   log10
#: interval rate_low rate_high from_the_slowest_to_the_fastest_point_of_a_family_at_that_intensity
#: series   kernel
#: columns  after_intensity after_rate dot
#: draw     dots
#: remark   Marks: the fastest points. Slopes: measured bandwidth of DRAM copies, L2 copies and shared memory reads, up to the FP32 rate. Arrows: textbook pairs, from before to after.
change(axis) = column('after_rate') > 0 ? column(axis eq 'x' ? 'after_intensity' : 'after_rate') - column(axis) : 0
plot for [i = first:last] data index i - 1 using 'x':(lined[i] ? column('y') : NaN) with lines linecolor rgb colour[i] linewidth 0.8 dashtype dash[i] notitle, \
     for [i = first:last] data index i - 1 using 'x':(lined[i] ? NaN : column('y')):'low':'high' with yerrorbars linecolor rgb colour[i] dashtype 1 pointtype 0 linewidth 0.7 notitle, \
     for [i = first:last] data index i - 1 using 'x':(lined[i] || strcol('dot') eq 'no' ? NaN : column('y')) with points linecolor rgb colour[i] pointtype mark[i] pointsize mark_size notitle, \
     for [i = first:last] data index i - 1 using 'x':'y':(change('x')):(change('y')) with vectors head filled size graph 0.04,20 linecolor rgb 'white' linewidth 3 notitle, \
     for [i = first:last] data index i - 1 using 'x':'y':(change('x')):(change('y')) with vectors head filled size graph 0.04,20 linecolor rgb '#000000' linewidth 1.2 notitle
