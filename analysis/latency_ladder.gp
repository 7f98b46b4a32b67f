#: title    Latency of one load against the footprint
#: kernel   latency
#: x        size
#: xlabel   Footprint (bytes)
#: xscale   log2
#: y        latency_p50
#: ylabel   Latency (cycles)
#: yscale   log10
#: interval latency_p05 latency_p95 5th_to_95th_percentile_of_the_samples
#: series   variant cache
#: state    hops
plot @curves
