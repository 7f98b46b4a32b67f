#: title    Latency of the memory of another GPU against the footprint
#: kernel   peer_latency
#: where    variant=load,load_l1,atomic_add,atomic_cas
#: x        size
#: xlabel   Footprint (bytes)
#: xscale   log2
#: y        latency_p50
#: ylabel   Latency (cycles)
#: yscale   log10
#: draw     dots
#: series   variant pair
#: panel    pair
#: state    cache
#: remark   Medians of the samples. Where some samples hit a cache and others miss it, the columns latency_p05 and latency_p95 have both latencies.
