#: title    Latency of one load against the footprint
#: kernel   latency
#: x        size
#: series   variant
#: columns  latency_p05 latency_p50 latency_p95
#: state    hops cache
roof_unit = 'none'
load analysis.'/style.gp'

# Bars from the 5th to the 95th percentile.
set xlabel 'Footprint'
set format x '%.0b %BB'
set xtics 64
set xrange [128:2.0**35]
set ylabel 'Latency (cycles)'
set logscale y
set yrange [10:2000]
plot for [i = 1:curves] data index i - 1 using 'size':'latency_p50':'latency_p05':'latency_p95' with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'size':'latency_p50' with linespoints @curve title key_title(i)
