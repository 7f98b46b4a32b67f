#: title    Bandwidth against the bytes in flight per multiprocessor
#: kernel   prefetch
#: where    variant=cp_async,bulk,tensor stages=3 resident=1 work=0
#: derive   in_flight=tile_bytes*stages*resident
#: x        tile_bytes
#: place    in_flight
#: xlabel   Bytes in flight per multiprocessor (bytes)
#: y        bandwidth
#: finding  in_flight>=49152 over in_flight<=12288: 48 KiB or more in flight per multiprocessor give % times the bandwidth of 12 KiB or less.
#: series   variant
#: state    size stages resident block cache
