#: title    Pageable and pinned copies by size
#: kernel   host_copy
#: where    variant=pageable,pinned streams=1
#: x        size
#: series   variant direction
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    chunk
load analysis.'/style.gp'

do for [s = 1:sources] { # of device memory: far above
    unset arrow 200 + s
    unset label 200 + s
}
set xlabel 'Size'
set format x '%.0b %BB'
set xtics 16
set yrange [0:*]
plot for [i = 1:curves] data index i - 1 using 'size':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'size':@bandwidth with linespoints @curve title key_title(i)
