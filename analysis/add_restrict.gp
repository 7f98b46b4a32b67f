#: title    Bandwidth of additions against accesses per thread, with and without restrict
#: kernel   add
#: where    hint=none block=256
#: x        items
#: series   variant restrict
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    rows columns dtype cache
load analysis.'/style.gp'

set xlabel 'Accesses per thread'
plot for [i = 1:curves] data index i - 1 using 'items':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'items':@bandwidth with linespoints @curve title key_title(i)
