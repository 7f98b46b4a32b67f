#: title    Copy bandwidth against the size of the arrays
#: kernel   copy
#: where    stride=1 offset=0 cache=cold
#: x        size
#: series   variant dtype
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    vector cache
#: baseline variant=memcpy
load analysis.'/style.gp'

set xlabel 'Size of each array'
set format x '%.0b %BB'
set xtics 16
plot for [i = 1:curves] data index i - 1 using 'size':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'size':@bandwidth with linespoints @curve title key_title(i)
