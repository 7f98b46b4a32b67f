#: title    Latency of L2 from each multiprocessor, over random lines
#: kernel   l2_topology
#: where    variant=load,atomic size=1MiB hops=1
#: x        sm
#: xlabel   Multiprocessor
#: xscale   linear
#: y        latency_p50
#: ylabel   Latency (cycles)
#: interval latency_p05 latency_p95 5th_to_95th_percentile_of_the_lines
#: series   variant warmed_by
#: panel    warmed_by
#: draw     dots
#: state    hop line other
