#: title    Bandwidth of a sum against the size of the array
#: kernel   reduce
#: where    offset=0 grid=resident
#: x        size
#: series   variant dtype
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    vector items block cache
#: baseline variant=cub_device
load analysis.'/style.gp'

set xlabel 'Size of the array'
set format x '%.0b %BB'
plot for [i = 1:curves] data index i - 1 using 'size':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'size':@bandwidth with linespoints @curve title key_title(i)
