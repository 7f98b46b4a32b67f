#: title    Sectors read from DRAM for each one that a strided load asks for
#: kernel   copy
#: where    variant=load vector=1 dtype=f32 stride>=8
#: derive   apart=stride*dtype.bytes
#: derive   fetched=dram_bytes_read/32/load_sectors
#: contrast l2_fetch
#: x        apart
#: xlabel   Distance of the sectors (bytes)
#: xscale   log2
#: y        fetched
#: ylabel   Sectors read per sector asked for
#: yscale   log2
#: roof     none
#: series   hint l2_fetch
#: state    size cache
