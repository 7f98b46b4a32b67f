#: title    Bandwidth of a sum against the accesses that a thread has in flight
#: kernel   reduce
#: where    offset=0 variant=shuffle
#: x        items
#: xlabel   Items per thread, loaded before the first addition (accesses)
#: y        bandwidth
#: series   grid block
#: state    size dtype vector cache
