#: title    Bandwidth of 16 streams against the number of them that are written
#: kernel   dram_channels
#: where    variant=mixed streams=16
#: x        written
#: xlabel   Streams that are written
#: xscale   linear
#: y        bandwidth
#: series   skew
#: state    size distance burst width items cache
