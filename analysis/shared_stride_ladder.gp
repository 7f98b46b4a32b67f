#: title    Bandwidth of shared memory against the stride of a warp's lanes: the ladder of bank conflicts
#: kernel   shared_stride
#: where    variant=read
#: x        stride
#: series   variant width
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    block blocks rounds cache
roof_scale = 1e12; roof_scale_name = 'TB/s'
load analysis.'/style.gp'

unset logscale x
set xtics 4
set xrange [-0.5:33.5]
set xlabel 'Stride (accesses)'
set logscale y 2
set yrange [0.02 * top / 1e12:1.3 * top / 1e12]
set ylabel 'Bandwidth (TB/s)'
plot for [i = 1:curves] data index i - 1 using 'stride':(column('bandwidth') / 1e12) with linespoints @curve title key_title(i)
