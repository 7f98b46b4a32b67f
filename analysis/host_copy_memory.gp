#: title    Pinned copies by size, with host memory that the processor caches and that it does not
#: kernel   host_copy
#: where    variant=pinned streams=1
#: x        size
#: xlabel   Size (bytes)
#: y        bandwidth
#: series   direction memory
#: contrast memory
#: state    chunk numa
#: remark   if direction=both: With both directions at once, the bandwidth counts the bytes of both.
