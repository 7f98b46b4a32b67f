#: title    Copy bandwidth against the size of the arrays, by what the caches are told
#: kernel   copy
#: where    variant=load vector=4 stride=1 offset=0
#: x        size
#: series   hint
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    dtype vector cache
#: baseline hint=default
peak_side = 'left'
load analysis.'/style.gp'

set xlabel 'Size of each array'
set format x '%.0b %BB'
set xtics 16
plot for [i = 1:curves] data index i - 1 using 'size':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'size':@bandwidth with linespoints @curve title key_title(i)
