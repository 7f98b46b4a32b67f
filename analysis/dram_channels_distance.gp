#: title    Read bandwidth against the distance of streams that are read at once
#: kernel   dram_channels
#: where    variant=read burst=512 width=16
#: x        distance
#: xlabel   Distance of neighbouring streams, without skew (bytes)
#: xscale   log2
#: y        bandwidth
#: series   streams skew
#: panel    streams
#: state    size items cache
