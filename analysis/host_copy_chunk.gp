#: title    Host to device in chunks over streams, with a kernel between
#: kernel   host_copy
#: where    variant=overlapped direction=h2d chunk=256KiB,1MiB,4MiB,16MiB,64MiB
#: x        chunk
#: series   streams
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    size variant direction
do for [i = 1:curves] { label[i] = label[i].(label[i] eq '1' ? ' stream' : ' streams') }
load analysis.'/style.gp'

set xlabel 'Chunk'
set format x '%.0b %BB'
set xtics 4
plot for [i = 1:curves] data index i - 1 using 'chunk':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'chunk':@bandwidth with linespoints @curve title key_title(i)
