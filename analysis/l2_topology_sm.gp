#: title    Latency of L2 from each multiprocessor, over random lines
#: kernel   l2_topology
#: where    variant=load size=1MiB hops=1
#: x        sm
#: xlabel   Multiprocessor
#: xscale   linear
#: y        latency_p50
#: ylabel   Latency (cycles)
#: series   warmed_by
#: panel    warmed_by
#: draw     dots
#: remark   Medians over the lines. Panels: who had the lines last (warmed_by).
#: state    hop line other
