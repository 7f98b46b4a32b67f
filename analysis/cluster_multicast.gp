#: title    Bytes that arrive in shared memory by bulk copies, with and without multicast
#: kernel   cluster
#: where    variant=multicast,bulk
#: x        cluster
#: xlabel   Blocks of a cluster (blocks)
#: xscale   log2
#: derive   per_clock=bytes_read/(time_median*sm_clock*device.multiprocessors) per_clock_low=per_clock*time_median/time_ci_high per_clock_high=per_clock*time_median/time_ci_low
#: y        per_clock
#: ylabel   Bytes per clock and SM (bytes)
#: roof     none
#: interval per_clock_low per_clock_high 95_%_intervals_of_the_median_time
#: series   variant size
#: state    block rounds cache
