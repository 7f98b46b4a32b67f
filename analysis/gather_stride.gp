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
#: finding  distance=64 over distance>=128: Elements 64 bytes apart are gathered % times as fast as those 128 bytes and more apart.
#: series   dtype
#: state    size index_dtype items cache
