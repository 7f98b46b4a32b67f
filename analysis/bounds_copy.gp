#: title    What bounds a copy, by the time model: stride and size of an access
#: kernel   copy
#: where    variant=load offset=0 predicted_time>0
#: x        stride
#: series   bound
#: columns  bytes_read bytes_written vector
#: state    size dtype cache
roof_unit = 'none'
load analysis.'/style.gp'

set xlabel 'Stride (accesses)'
set ylabel 'Elements of an access'
set logscale y 2
set yrange [0.7:48]
dots = 'linecolor rgb colour_of(colour[i]) pointtype point_of(colour[i]) pointsize 1.6'
plot for [i = 1:curves] data index i - 1 using 'stride':'vector' with points @dots title key_title(i)
