#: title    Bandwidth of transpositions against the tile, by way through shared memory
#: kernel   transpose
#: where    dtype=f32 variant=naive,shared,padded,swizzled,vectorized,tma
#: x        tile
#: xlabel   Side of a tile (elements)
#: y        bandwidth
#: series   variant
#: state    rows columns cache
plot @curves
