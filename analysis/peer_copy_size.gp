#: title    Copies between two GPUs by size
#: kernel   peer_copy
#: where    blocks=0 width=16 direction=one_way
#: x        size
#: xlabel   Size (bytes)
#: y        bandwidth
#: yscale   log10
#: series   variant pair
#: state    cache
