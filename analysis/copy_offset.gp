#: title    Copy bandwidth against the distance from an aligned start
#: kernel   copy
#: where    variant=load,store stride=1
#: x        offset
#: series   variant dtype
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    size vector cache
load analysis.'/style.gp'

set xlabel 'Offset from the aligned start (elements)'
unset logscale x
plot for [i = 1:curves] data index i - 1 using 'offset':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'offset':@bandwidth with linespoints @curve title key_title(i)
