#: title    Bytes that arrive in shared memory by bulk copies, with and without multicast
#: kernel   cluster
#: where    variant=multicast,bulk
#: x        cluster
#: xlabel   Blocks of a cluster (blocks)
#: xscale   log2
#: derive   per_clock=bytes_read/(time_median*sm_clock*device.multiprocessors)
#: y        per_clock
#: ylabel   Bytes per clock and SM (bytes)
#: roof     none
#: series   variant size
#: state    block rounds cache
