#: title    Host memory read and written by a kernel (zero_copy) against its number of blocks
#: kernel   host_copy
#: where    variant=zero_copy work=0
#: x        blocks
#: xlabel   Blocks of 256 threads (blocks)
#: y        bandwidth
#: series   direction width
#: contrast blocks
#: state    size memory
#: remark   if direction=both: With both directions at once, the bandwidth counts the bytes of both.
