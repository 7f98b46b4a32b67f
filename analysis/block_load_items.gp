#: title    Bandwidth of loading and storing tiles against elements per thread
#: kernel   block_load
#: where    offset=0
#: x        items
#: series   variant dtype
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    size block cache
load analysis.'/style.gp'

set xlabel 'Elements per thread'
plot for [i = 1:curves] data index i - 1 using 'items':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'items':@bandwidth with linespoints @curve title key_title(i)
