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
#: finding  variant=l2,dram cache=hot,cold of_l2>=4 over variant=l2 cache=hot of_l2<=0.3: Over at least 4 times the size of L2, a load takes % times as long as over at most 0.3 of it.
#: finding  variant=l1 over variant=shared: A load from L1 takes % times as long as one from shared memory.
#: series   variant cache
#: state    hops
