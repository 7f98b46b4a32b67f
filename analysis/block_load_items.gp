#: title    Bandwidth of loading and storing tiles against elements per thread
#: kernel   block_load
#: where    offset=0
#: x        items
#: xlabel   Items per thread (elements)
#: y        bandwidth
#: finding  variant=striped over variant=direct with items>=8: From 8 elements per thread on, striped loads are % times as fast as direct ones.
#: series   variant dtype
#: state    size block cache
