#: title    Bandwidth of packing bits against the accesses that a thread has in flight
#: kernel   pack_bits
#: where    order=little
#: x        items
#: xlabel   Items per thread, of 1 byte (ballot), 2 x 4 bytes (cub) or 16 bytes (wide) (accesses)
#: y        bandwidth
#: series   variant
#: state    size block cache
plot @curves
