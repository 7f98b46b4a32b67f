#: title    Bandwidth against the number of streams of 16 that are written
#: kernel   dram_channels
#: where    variant=mixed streams=16
#: x        written
#: xlabel   Streams that are written
#: xscale   linear
#: y        bandwidth
#: series   skew
#: state    size distance burst width items cache
