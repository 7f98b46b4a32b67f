#: title    Bandwidth of additions against the columns, by width of access
#: kernel   add
#: where    dtype=f32,f16 restrict=yes hint=none items=1 block=256
#: x        columns
#: series   variant dtype
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    rows cache
load analysis.'/style.gp'

set xlabel 'Columns'
plot for [i = 1:curves] data index i - 1 using 'columns':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'columns':@bandwidth with linespoints @curve title key_title(i)
