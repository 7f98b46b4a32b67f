#: title    Pageable and pinned copies by size
#: kernel   host_copy
#: where    variant=pageable,pinned streams=1
#: x        size
#: series   variant direction
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    chunk
load analysis.'/style.gp'

set xlabel 'Size'
set format x '%.0b %BB'
set xtics 16
plot for [i = 1:curves] data index i - 1 using 'size':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'size':@bandwidth with linespoints @curve title key_title(i)
