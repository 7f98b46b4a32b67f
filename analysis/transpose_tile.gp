#: title    Bandwidth of transpositions against the tile, by way through shared memory
#: kernel   transpose
#: where    dtype=f32 variant=naive,shared,padded,swizzled,vectorized,tma
#: x        tile
#: xlabel   Side of a tile (elements)
#: y        bandwidth
#: finding  variant=padded,swizzled over variant=shared shared_load_wavefronts_per_request>1 with tile>=32: From tiles of 32 on, padding or swizzling gives % times the bandwidth of a plain tile, which has bank conflicts by its counters.
#: finding  variant=shared over variant=naive with tile>=32: From tiles of 32 on, a plain tile in shared memory is % times as fast as scattered stores.
#: series   variant
#: state    rows columns cache
