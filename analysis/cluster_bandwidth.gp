#: title    Bandwidth of shared memory of a cluster against its size
#: kernel   cluster
#: where    variant=read,write width=16 neighbour=1
#: x        cluster
#: xlabel   Blocks of a cluster (blocks)
#: xscale   log2
#: derive   per_clock=(bytes_read+bytes_written)/(time_median*sm_clock*device.multiprocessors)
#: y        per_clock
#: ylabel   Bytes per clock and SM (bytes)
#: roof     none
#: yscale   log10
#: panel    variant
#: series   variant pattern
#: state    block width rounds cache
#: remark   A cluster of one block makes the same accesses to its own memory.
