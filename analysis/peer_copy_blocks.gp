#: title    Multiprocessors that a link needs
#: kernel   peer_copy
#: where    size=128MiB width=16 direction=one_way blocks=1..1024
#: x        blocks
#: xlabel   Blocks, one per multiprocessor
#: y        bandwidth
#: series   variant
#: state    pair cache
