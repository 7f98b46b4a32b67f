#: title    Copies over the host link by size
#: kernel   host_copy
#: where    variant=pageable,pinned,zero_copy streams=1
#: x        size
#: xlabel   Size (bytes)
#: y        bandwidth
#: finding  variant=pinned over variant=pageable: Pinned memory is copied % times as fast as pageable memory.
#: roof     none
#: series   variant direction
#: state    chunk width memory numa
#: remark   if direction=both: With both directions at once, the bandwidth counts the bytes of both.
