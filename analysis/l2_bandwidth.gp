#: title    Bandwidth of L2 for lines whose home is near or far, read last by the same multiprocessor or stored last by another one
#: kernel   l2_bandwidth
#: where    variant=read
#: derive   bytes_per_cycle=128/latency_p50
#: contrast home
#: x        size
#: xlabel   Footprint (bytes)
#: xscale   log2
#: y        bytes_per_cycle
#: ylabel   Rate per SM (bytes/cycle)
#: roof     none
#: series   warmed_by home
#: panel    warmed_by
#: state    cache
#: remark   Panels: who had the lines last (warmed_by). The y axis does not start at zero.
