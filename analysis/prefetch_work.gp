#: title    Synchronous and double-buffered streaming against the work per element
#: kernel   prefetch
#: where    variant=sync,cp_async,bulk stages=1,2 resident=2
#: x        work
#: series   variant
#: columns  bandwidth bandwidth_low bandwidth_high
#: state    size tile_bytes resident block cache
#: baseline variant=sync
load analysis.'/style.gp'

set xlabel 'Work per element (flops)'
unset logscale x
work = "(log(column('work') + 1) / log(2))" # 0 has a place too
set xtics ('0' 0, '2' log(3) / log(2), '8' log(9) / log(2), '32' log(33) / log(2), '128' log(129) / log(2))
plot for [i = 1:curves] data index i - 1 using @work:@bandwidth_interval with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using @work:@bandwidth with linespoints @curve title key_title(i)
