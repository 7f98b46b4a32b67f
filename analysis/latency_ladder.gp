#: title    Latency of one load against the footprint
#: kernel   latency
#: x        size
#: xlabel   Footprint (bytes)
#: xscale   log2
#: y        latency_p50
#: ylabel   Latency (cycles)
#: yscale   log10
#: interval latency_p05 latency_p95 5th_to_95th_percentile_of_the_samples
#: derive   of_l2=size/device.l2_bytes
#: rule     device.l2_bytes L2:
#: finding  of_l2>=4 over of_l2<=0.3 with variant=l2: A load that misses L2 takes % times as long as one that hits it.
#: finding  variant=l1 over variant=shared: A hit in L1 takes % times as long as a load from shared memory.
#: series   variant cache
#: state    hops
