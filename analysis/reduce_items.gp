#: title    Bandwidth of a sum against the accesses that a thread has in flight
#: kernel   reduce
#: where    offset=0 variant=shuffle
#: x        items
#: series   grid block
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    size dtype vector cache
load analysis.'/style.gp'

set xlabel 'Accesses per thread, all loaded before the first addition'
plot for [i = 1:curves] data index i - 1 using 'items':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'items':@bandwidth with linespoints @curve title key_title(i)
