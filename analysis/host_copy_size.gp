#: title    Pageable and pinned copies by size
#: kernel   host_copy
#: where    variant=pageable,pinned streams=1
#: x        size
#: xlabel   Size (bytes)
#: y        bandwidth
#: series   variant direction
#: state    chunk
plot @curves
