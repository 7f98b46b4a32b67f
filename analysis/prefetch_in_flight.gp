#: title    Bandwidth against the bytes in flight per multiprocessor
#: kernel   prefetch
#: where    variant=cp_async,bulk,tensor stages=3 resident=1 work=0
#: derive   in_flight=tile_bytes*stages*resident
#: x        tile_bytes
#: place    in_flight
#: xlabel   Bytes in flight per multiprocessor (bytes)
#: y        bandwidth
#: series   variant
#: state    size stages resident block cache
plot @curves
