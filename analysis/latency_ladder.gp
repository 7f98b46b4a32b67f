#: title    Latency of one load against the footprint
#: kernel   latency
#: x        size
#: series   variant
#: columns  latency_p05 latency_p50 latency_p95
#: state    hops cache
load analysis.'/style.gp'

# Bars from the 5th to the 95th percentile; cycles are no bandwidth, so the peak goes.
do for [s = 1:sources] {
    unset arrow 200 + s
    unset label 200 + s
}
set xlabel 'Footprint'
set format x '%.0b %BB'
set xtics 64
set xrange [128:2.0**35]
set ylabel 'Latency (cycles)'
set logscale y
set yrange [10:2000]
plot for [i = 1:curves] data index i - 1 using 'size':'latency_p50':'latency_p05':'latency_p95' with yerrorbars @bars, \
     for [i = 1:curves] data index i - 1 using 'size':'latency_p50' with linespoints @curve title key_title(i)
