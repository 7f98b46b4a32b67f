#: title    Gather bandwidth against the size of the array
#: kernel   gather
#: where    stride=1
#: x        size
#: series   variant cache
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    dtype index_dtype items
load analysis.'/style.gp'

set xlabel 'Size of the array'
set format x '%.0b %BB'
plot for [i = 1:curves] data index i - 1 using 'size':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'size':@bandwidth with linespoints @curve title key_title(i)
