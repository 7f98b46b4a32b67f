#: title    Latency of the memory of another GPU against the footprint
#: kernel   peer_latency
#: where    variant=load,load_l1,atomic_add,atomic_cas
#: x        size
#: xlabel   Footprint (bytes)
#: xscale   log2
#: y        latency_p50
#: ylabel   Latency (cycles)
#: yscale   log10
#: interval latency_p05 latency_p95 5th_to_95th_percentile_of_the_samples
#: draw     dots
#: series   variant pair
#: state    cache
#: remark   Where some samples hit a cache and others miss it, the interval spans both latencies and its bar is no error.
