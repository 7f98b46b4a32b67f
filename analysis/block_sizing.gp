#: title    Copy bandwidth against the threads of a block, by width of access
#: kernel   copy
#: where    variant=load stride=1 offset=0 items=1
#: x        block
#: series   vector
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    dtype size cache
peak_side = 'left'
load analysis.'/style.gp'

set xlabel 'Threads of a block'
plot for [i = 1:curves] data index i - 1 using 'block':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'block':@bandwidth with linespoints @curve title key_title(i)
