#: title    What bounds a copy, by the time model, over threads of a block and accesses of a thread
#: kernel   copy
#: where    variant=load offset=0 stride=1 vector=1 dtype=f32 cache=cold size=1GiB hint=default
#: x        predicted_time
#: series   bound
#: columns  block items
roof_unit = 'none'
load analysis.'/style.gp'

set logscale xy 2
set format x '%g'
set xtics 2
set xrange [0.7:11.3]
set yrange [90:1448]
set xlabel 'Accesses of a thread'
set ylabel 'Threads of a block'
dots = 'linecolor rgb colour_of(colour[i]) pointtype point_of(colour[i]) pointsize 1.6'
plot for [i = 1:curves] data index i - 1 using 'items':'block' with points @dots title key_title(i)
