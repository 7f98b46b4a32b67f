#: title    Bandwidth of packing bits against the accesses that a thread has in flight
#: kernel   pack_bits
#: where    order=little
#: x        items
#: series   variant
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    size block cache
load analysis.'/style.gp'

set xlabel 'Accesses per thread: of 1 byte (ballot), 2 x 4 bytes (cub), 16 bytes (wide)'
plot for [i = 1:curves] data index i - 1 using 'items':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'items':@bandwidth with linespoints @curve title key_title(i)
