#: title    Bandwidth of transpositions against the columns, by way through shared memory
#: kernel   transpose
#: where    dtype=f32
#: x        columns
#: series   variant
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    rows tile cache
#: baseline variant=cublas
load analysis.'/style.gp'

set xlabel 'Columns'
plot for [i = 1:curves] data index i - 1 using 'columns':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'columns':@bandwidth with linespoints @curve title key_title(i)
