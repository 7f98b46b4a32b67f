#: title    Latency of a load from another block's shared memory against its distance in the cluster
#: kernel   cluster
#: where    variant=latency
#: x        neighbour
#: xlabel   Distance in the cluster (blocks)
#: y        latency_p50
#: ylabel   Latency (cycles)
#: interval latency_p05 latency_p95 5th_to_95th_percentile_of_the_samples
#: series   cluster
#: state    size cache
