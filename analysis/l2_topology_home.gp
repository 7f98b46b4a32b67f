#: title    Latency from each multiprocessor to lines of L2 that are near to the first one, and to those that are far
#: kernel   l2_topology
#: where    variant=atomic home=near,far
#: x        sm
#: xlabel   Multiprocessor
#: xscale   linear
#: y        latency_p50
#: ylabel   Latency of an atomic (cycles)
#: interval latency_p05 latency_p95 5th_to_95th_percentile_of_the_groups
#: series   home
#: draw     dots
#: remark   Near and far are as seen from the first multiprocessor: for those of the other half the two change places.
#: state    hops size
