#: title    Copy bandwidth against the distance of neighbouring accesses on the strided side
#: kernel   copy
#: where    variant=load,store vector=1 offset=0
#: derive   distance=stride*vector*dtype.bytes
#: x        stride
#: place    distance
#: xlabel   Distance of neighbouring accesses (bytes)
#: xscale   log2
#: y        bandwidth
#: yscale   log10
#: series   dtype variant
#: panel    variant
#: state    size items block cache
#: law      copy_read 64 64 bytes: two sectors
#: law      copy_written 32 32 bytes: a sector
#: finding  distance=64 over distance>=128: Accesses 64 bytes apart are copied % times as fast as those 128 bytes and more apart.
