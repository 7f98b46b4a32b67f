#: title    Bandwidth of transpositions against the tile, by way through shared memory
#: kernel   transpose
#: where    dtype=f32 variant=naive,shared,padded,swizzled,vectorized,tma
#: x        tile
#: xlabel   Side of a tile (elements)
#: y        bandwidth
#: finding  variant=padded,swizzled over variant=shared shared_load_wavefronts_per_request>1 with tile>=32: Padding or swizzling a tile of 32 or more removes its bank conflicts: % times the bandwidth of the plain tile.
#: finding  variant=shared over variant=naive with tile>=32: Even with conflicts, a tile of 32 or more in shared memory is % times as fast as scattered stores.
#: series   variant
#: state    rows columns cache
