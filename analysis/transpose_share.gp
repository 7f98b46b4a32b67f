#: title    Transpositions as a share of what bounds them at best, measured on the device
#: kernel   transpose
#: where    dtype=f32
#: x        columns
#: series   variant
#: columns  fraction_peak bandwidth bandwidth_low bandwidth_high
#: state    rows tile cache
#: baseline variant=cublas
roof_unit = 'none'
load analysis.'/style.gp'

# The roof is the 100 % of this figure: the caption names it. A point without one lies below it, out of sight.
share(fraction) = fraction > 0 ? 100 * fraction : -100
relative(name) = share(column('fraction_peak') * column(name) / column('bandwidth'))
set yrange [0:112]
set arrow 300 from graph 0, first 100 to graph 1, first 100 nohead back linecolor rgb palette_grey linewidth 0.8 dashtype 3
set xlabel 'Columns'
set ylabel 'Share of roof (%)'
plot for [i = 1:curves] data index i - 1 using 'columns':(relative('bandwidth')):(relative('bandwidth_low')):(relative('bandwidth_high')) with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'columns':(relative('bandwidth')) with linespoints @curve title key_title(i)
