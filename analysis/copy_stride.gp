#: title    Copy bandwidth against the distance of neighbouring accesses on the strided side
#: finding  Strided loads lose bandwidth fastest until each fetches 64 bytes of DRAM of its own, two sectors; strided stores until each writes a sector of 32 bytes
#: kernel   copy
#: where    variant=load,store vector=1 offset=0
#: derive   distance=stride*vector*dtype_bytes
#: x        stride
#: place    distance
#: xlabel   Distance of neighbouring accesses (bytes)
#: xscale   log2
#: y        bandwidth
#: yscale   log10
#: series   dtype variant
#: panel    variant
#: state    size items block cache
#: law      variant=load 64 dram_bytes_read*dtype_bytes/bytes_read min(stride*vector*dtype_bytes,64) 1 64_bytes:_two_sectors DRAM bytes read per element are min(distance, 64)
#: law      variant=store 32 dram_bytes_written*dtype_bytes/bytes_written min(stride*vector*dtype_bytes,32) 5 32_bytes:_a_sector DRAM bytes written per element are min(distance, 32)
plot @curves
