#: title    Bandwidth of shared memory of a cluster against its size
#: kernel   cluster
#: where    variant=read,write width=16 neighbour=1
#: x        cluster
#: xlabel   Blocks of a cluster (blocks)
#: xscale   log2
#: derive   per_clock=(bytes_read+bytes_written)/(time_median*sm_clock*device.multiprocessors) per_clock_low=per_clock*time_median/time_ci_high per_clock_high=per_clock*time_median/time_ci_low
#: y        per_clock
#: ylabel   Bytes per clock and SM (bytes)
#: roof     none
#: interval per_clock_low per_clock_high 95_%_intervals_of_the_median_time
#: yscale   log10
#: panel    variant
#: series   variant pattern
#: state    block width rounds cache
#: remark   A cluster of one block makes the same accesses to its own memory.
