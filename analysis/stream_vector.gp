#: title    The loops of BabelStream against the width of one access
#: kernel   stream
#: where    block=1024 items=4
#: x        vector
#: series   variant dtype
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    size items block cache
peak_side = 'left'
load analysis.'/style.gp'

set xlabel 'Width of one access (elements)'
plot for [i = 1:curves] data index i - 1 using 'vector':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'vector':@bandwidth with linespoints @curve title key_title(i)
