#: title    Bandwidth of L2 for lines whose home is near or far, read last by the same multiprocessor or stored last by another one
#: kernel   l2_bandwidth
#: where    variant=read
#: derive   bytes_per_cycle=128/latency_p50 per_cycle_low=128/latency_p95 per_cycle_high=128/latency_p05
#: contrast home
#: x        size
#: xlabel   Footprint (bytes)
#: xscale   log2
#: y        bytes_per_cycle
#: ylabel   Rate per SM (bytes/cycle)
#: roof     none
#: interval per_cycle_low per_cycle_high 5th_to_95th_percentile_of_multiprocessors_and_rounds
#: series   warmed_by home
#: panel    warmed_by
#: state    cache
#: remark   Panels: who had the lines last (warmed_by).
