"""The words of axes in order, for files of releases before 0.7, which do not name them. Later files have them in /environment, as
`words.KERNEL.AXIS`: new words need no line here."""

from __future__ import annotations


def merge(known: list[str], words: list[str]) -> None:
    """Add the words of one family, each behind those that come before it there."""
    place = 0
    for word in words:
        if word in known:
            place = known.index(word)
        else:
            known.insert(place, word)
        place += 1


WORDS = {
    "algorithm": ("default ring tree nvls"),
    "beside": ("none local_copy matmul"),
    "cache": ("cold clean hot rotate"),
    "carveout": ("default 0 25 50 75 100"),
    "chasers": ("one two cluster all"),
    "copy": ("cp_async tma"),
    "data": ("random whole ones zeros"),
    "direction": ("one_way both_ways h2d d2h both"),
    "dtype": ("u8 i32 i64 f16 bf16 tf32 f32 f64 e4m3 e5m2 e2m1 e8m0"),
    "dtype_c": ("default f32"),
    "fill": ("random zeros ones alternating walking"),
    "grid": ("resident cover"),
    "hint": (
        "none stream_out default stream read_ahead no_allocate evict_first evict_last "
        "fetch_64 fetch_128 fetch_256"
    ),
    "home": ("any near far"),
    "in_place": ("no yes"),
    "index": ("modulo uniform random column"),
    "index_dtype": ("i32 i64"),
    "indices": ("array computed"),
    "l2_fetch": ("default 32 64 128"),
    "launch": ("alone back_to_back"),
    "layout": ("padded swizzled"),
    "library": ("nccl mpi"),
    "loop": ("row elementwise cub_transform bulk"),
    "measured": ("link work both"),
    "memory": ("cached write_combined"),
    "numa": ("any 0 1 2 3 4 5 6 7"),
    "order": ("little big"),
    "pair": (
        "local 0-1 0-2 0-3 0-4 0-5 0-6 0-7 1-0 1-2 1-3 1-4 1-5 1-6 1-7 2-0 2-1 2-3 2-4 "
        "2-5 2-6 2-7 3-0 3-1 3-2 3-4 3-5 3-6 3-7 4-0 4-1 4-2 4-3 4-5 4-6 4-7 5-0 5-1 5-2 "
        "5-3 5-4 5-6 5-7 6-0 6-1 6-2 6-3 6-4 6-5 6-7 7-0 7-1 7-2 7-3 7-4 7-5 7-6"
    ),
    "pattern": ("one both permutation ring all_to_all incast outcast bisection none broadcast"),
    "pdl": ("off on"),
    "persistent": ("off on"),
    "place": ("global shared"),
    "protocol": ("default ll ll128 simple"),
    "restrict": ("yes no"),
    "result": ("unused used chained"),
    "scale": ("none e8m0 e4m3"),
    "sparse": ("off on"),
    "store": ("coalesced scattered"),
    "through": ("load bulk"),
    "tile_shape": ("128x128 256x128 128x256 128x64"),
    "tours": ("common own"),
    "type": ("u32 u64 f32 f64 f16x2 bf16x2"),
    "unroll": ("1 2 full"),
    "variant": (
        "mma wgmma wgmma_ss wgmma_rs tcgen05 tcgen05_ts tcgen05_ld all_reduce all_gather "
        "reduce_scatter all_to_all copy_engine pageable pinned overlapped round_trip "
        "zero_copy latency pages lines sync sync_relaxed multicast plain restrict ldg "
        "constant dsmem texture shared_tree shuffle cub_warp cub_block redux cub_device "
        "naive tiled register cp_async pipeline_thread pipeline barrier shared l1 l2 dram "
        "texture2d padded swizzled vectorized tma cublas cublaslt read write mixed "
        "broadcast send_recv ldmatrix stmatrix cub ballot direct striped vectorize "
        "transpose warp_transpose warp_transpose_timesliced manual wide silu gelu "
        "gelu_tanh copy mul add max exchange cas triad dot scalar vector half2 unpacked "
        "packed aos soa aosoa linear strided permuted random load load_l1 atomic_add "
        "atomic_cas fence ping_pong atomic store gridstride bulk tensor memcpy "
        "cub_transform bulk_load bulk_store"
    ),
    "warmed_by": ("same other both"),
}
