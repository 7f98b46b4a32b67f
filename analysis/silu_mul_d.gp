#: title    Bandwidth of silu(x) * y against the width of a row
#: kernel   silu_mul
#: where    variant=silu unroll=full pdl=off
#: x        d
#: series   dtype
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    batch block cache
load analysis.'/style.gp'

set xlabel 'd (elements of x, of y and of the output in a row)'
plot for [i = 1:curves] data index i - 1 using 'd':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'd':@bandwidth with linespoints @curve title key_title(i)
