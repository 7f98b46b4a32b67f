#: title    Latency of a load against the footprint: one in each page of 2 MiB, and as many lines on few pages
#: kernel   pages
#: where    chasers=one sm=0 hop=2MiB
#: x        size
#: xlabel   Footprint (bytes)
#: xscale   log2
#: y        latency_p50
#: ylabel   Latency (cycles)
#: interval latency_p05 latency_p95 5th_to_95th_percentile_of_the_groups
#: series   variant
#: finding  size>=32GiB over size<=32MiB with variant=pages: A load over 32 GiB, one in each page of 2 MiB, takes % times as long as one over 32 MiB.
#: finding  size>=32GiB over size<=32MiB with variant=lines: With as many lines on few pages, it takes % times as long.
#: state    hop hops
