#: title    Bandwidth of loading and storing tiles against elements per thread
#: kernel   block_load
#: where    offset=0
#: x        items
#: xlabel   Items per thread (elements)
#: y        bandwidth
#: series   variant dtype
#: state    size block cache
plot @curves
