#: title    Gather bandwidth against the stride of the indices
#: kernel   gather
#: where    variant=strided
#: x        stride
#: series   dtype
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    size index_dtype items cache
load analysis.'/style.gp'

set xlabel 'Stride of the indices (elements)'
plot for [i = 1:curves] data index i - 1 using 'stride':@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'stride':@bandwidth with linespoints @curve title key_title(i)
