#: title    Copy bandwidth against the width of one access
#: kernel   copy
#: where    variant=load stride=1 offset=0
#: x        vector
#: series   dtype
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    size cache
load analysis.'/style.gp'

set xlabel 'Width of one access (bytes)'
plot for [i = 1:curves] data index i - 1 using (column('vector') * dtype_size(strcol('dtype'))):@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using (column('vector') * dtype_size(strcol('dtype'))):@bandwidth with linespoints @curve title key_title(i)
