#: title    Two files point by point: the difference of their times against the duration
#: table    ratios
#: kernel   *
#: x        time
#: series   verdict
#: columns  difference difference_low difference_high
roof_unit = 'none'
load analysis.'/style.gp'

set logscale x 10
set format x '%g'
set yrange [*:*]
set xlabel 'Duration in the first file (µs)'
set ylabel 'Second takes more by (%)' offset 0.4, 0
set arrow 300 from graph 0, first 0 to graph 1, first 0 nohead back linecolor rgb palette_grey linewidth 0.8
plot for [i = 1:curves] data index i - 1 using (column('time') * 1e6):'difference':'difference_low':'difference_high' with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using (column('time') * 1e6):'difference' with points pointsize 0.35 linecolor rgb colour_of(colour[i]) pointtype point_of(colour[i]) title key_title(i)
