#: title    Share of a window that DRAM delivers again while a stream passes
#: kernel   l2_window
#: where    size=512MiB
#: derive   delivered=100*(dram_bytes_read-size)/(window*rounds)
#: contrast hit_ratio
#: x        window
#: xlabel   Window (bytes)
#: xscale   log2
#: y        delivered
#: ylabel   Read from DRAM (% of the window)
#: roof     none
#: rule     device.l2_bytes L2:
#: series   hit_ratio
#: state    rounds size
