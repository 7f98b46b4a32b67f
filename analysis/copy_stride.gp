#: title    Copy bandwidth against the stride of the strided side
#: kernel   copy
#: where    variant=load,store vector=1 offset=0
#: x        stride
#: series   variant dtype
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    size cache
load analysis.'/style.gp'

set xlabel 'Stride (accesses)'
plot for [i = 1:curves] data index i - 1 using 'stride':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'stride':@bandwidth with linespoints @curve title key_title(i)
