#: title    Latency of one bulk copy of 16 bytes and of one load against the footprint
#: kernel   latency
#: where    variant=l2,dram
#: contrast through
#: x        size
#: xlabel   Footprint (bytes)
#: xscale   log2
#: y        latency_p50
#: ylabel   Latency (cycles)
#: interval latency_p05 latency_p95 5th_to_95th_percentile_of_the_samples
#: finding  through=bulk over through=load: A hop by a bulk copy takes % times as long as one by a load.
#: series   variant cache through
#: state    hops hop
