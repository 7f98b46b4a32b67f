#: title    Transpositions as a share of the copy bandwidth measured on the device
#: kernel   transpose
#: where    dtype=f32
#: x        columns
#: series   variant
#: columns  fraction_peak bandwidth bandwidth_low bandwidth_high
#: state    rows tile cache
#: baseline variant=cublas
load analysis.'/style.gp'

# The copy peak is the 100 % of this figure. A point without one lies below it, out of sight.
do for [s = 1:sources] {
    unset arrow 200 + s
    unset label 200 + s
}
share(fraction) = fraction > 0 ? 100 * fraction : -100
relative(name) = share(column('fraction_peak') * column(name) / column('bandwidth'))
set yrange [0:112]
set arrow 300 from graph 0, first 100 to graph 1, first 100 nohead back linecolor rgb palette_grey linewidth 0.8 dashtype 3
set xlabel 'Columns'
set ylabel 'Share of copy (%)'
plot for [i = 1:curves] data index i - 1 using 'columns':(relative('bandwidth')):(relative('bandwidth_low')):(relative('bandwidth_high')) with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'columns':(relative('bandwidth')) with linespoints @curve title key_title(i)
