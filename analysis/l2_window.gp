#: title    Latency of a load of a window that is read again while a stream passes
#: kernel   l2_window
#: where    size=512MiB
#: contrast hit_ratio
#: x        window
#: xlabel   Window (bytes)
#: xscale   log2
#: y        latency_p50
#: ylabel   Latency (cycles)
#: interval latency_p05 latency_p95 5th_to_95th_percentile_of_the_warps
#: rule     device.l2_bytes L2:
#: finding  hit_ratio=0 over hit_ratio=100 with window<=8MiB: Without a policy a load of the window takes % times as long.
#: series   hit_ratio
#: state    rounds size
plot @curves
