#: title    Bandwidth of packing bits against the accesses that a thread has in flight
#: kernel   pack_bits
#: where    order=little
#: x        items
#: xlabel   Items per thread (accesses)
#: y        bandwidth
#: finding  variant=wide over variant=ballot: Accesses of 16 bytes give % times the bandwidth of one byte per lane.
#: series   variant
#: state    size block cache
#: remark   An access has 1 byte (ballot), 2 x 4 bytes (cub) or 16 bytes (wide).
