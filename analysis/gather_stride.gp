#: title    Gather bandwidth against the distance of neighbouring elements
#: kernel   gather
#: where    variant=strided
#: derive   distance=stride*dtype.bytes
#: x        stride
#: place    distance
#: xlabel   Distance of neighbouring elements (bytes)
#: xscale   log2
#: y        bandwidth
#: yscale   log10
#: law      gather_strided 64 64 bytes: two sectors
#: finding  distance=64 over distance>=128: From 64 bytes on, the bytes stay the same, but not the time: at 64 bytes it is % times as fast as further apart.
#: series   dtype
#: state    size index_dtype items cache
