#: title    Latency of single lines of L2 from each multiprocessor
#: kernel   l2_topology
#: where    variant=atomic size=128 hops=64 line=0,1,8,1024
#: x        sm
#: xlabel   Multiprocessor
#: xscale   linear
#: y        latency_p50
#: ylabel   Latency of an atomic (cycles)
#: interval latency_p05 latency_p95 5th_to_95th_percentile_of_the_groups
#: series   line
#: draw     dots
#: state    warmed_by
