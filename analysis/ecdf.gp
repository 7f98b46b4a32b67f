#: title    Empirical distributions of samples relative to their medians, selected points
#: table    samples
#: kernel   *
#: x        deviation
#: xlabel   Deviation from the median (%)
#: xscale   linear
#: y        share
#: ylabel   Samples (%)
#: yscale   linear
#: series   point
#: columns  decile
#: draw     dots
#: remark   Marks: every tenth of the samples.
plot for [i = first:last] data index i - 1 using 'x':'y' with steps linecolor rgb colour[i] linewidth curve_width dashtype dash[i] notitle, \
     for [i = first:last] data index i - 1 using 'x':(strcol('decile') eq 'yes' ? column('y') : NaN) with points linecolor rgb colour[i] pointtype mark[i] pointsize mark_size notitle
