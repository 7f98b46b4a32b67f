/* bulk_stream.cuh - a copy through shared memory by bulk copies, with STAGES tiles of TILE_BYTES bytes in
 * flight (from sm_90 on): included by NAME.cu as "bulk_stream.cuh". No thread accesses an element. Both are
 * macros or constants of NAME.cu. */
#ifndef KERNELS_BULK_STREAM_CUH
#define KERNELS_BULK_STREAM_CUH

#include "bulk.cuh"

/* STAGES tiles, then one mbarrier per tile. */
extern __shared__ __align__(128) u64 ring[];

static __device__ __forceinline__ u32 tile_of(u32 stage)
{
    return shared_address(ring) + stage * TILE_BYTES;
}

static __device__ __forceinline__ u32 barrier_of(u32 stage)
{
    return tile_of(STAGES) + 8 * stage;
}

static __device__ __forceinline__ void fetch(const u8 *from, u32 bytes, u32 stage)
{
    bulk_load(tile_of(stage), from, bytes, barrier_of(stage));
}

static __device__ __forceinline__ void put(u8 *to, u32 bytes, u32 stage)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(tile_of(stage)),
                 "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

static __device__ __forceinline__ u32 size_of(u64 tile, u64 bytes)
{
    const u64 left = bytes - tile * TILE_BYTES;
    return left < TILE_BYTES ? (u32)left : TILE_BYTES;
}

/* The share of one of `blocks` blocks, each one warp. Its first lane copies the tiles: STAGES - 1 are loading
 * while one is stored. `bytes` is a multiple of 16; the last lanes of the first block copy the `rest` of up
 * to 15 bytes. */
static __device__ __forceinline__ void bulk_stream_share(const u8 *__restrict__ in, u8 *__restrict__ out,
                                                         u64 bytes, u32 rest, u32 block, u32 blocks)
{
    const u64 tiles = (bytes + TILE_BYTES - 1) / TILE_BYTES;
    if (block == 0 && threadIdx.x >= 32 - rest)
        out[bytes + threadIdx.x - (32 - rest)] = in[bytes + threadIdx.x - (32 - rest)];
    if (threadIdx.x != 0)
        return;
#pragma unroll 1
    for (u32 stage = 0; stage < STAGES; stage++)
        barrier_init(barrier_of(stage));
    asm volatile("fence.proxy.async.shared::cta;" ::
                     : "memory"); /* make the initialised barriers visible to the copies */
#pragma unroll 1
    for (u32 s = 0; s < STAGES - 1; s++) {
        const u64 tile = block + (u64)s * blocks;
        if (tile < tiles)
            fetch(in + tile * TILE_BYTES, size_of(tile, bytes), s);
    }
    u32 stage = 0, phase = 0;
#pragma unroll 1
    for (u64 tile = block; tile < tiles; tile += blocks) {
        barrier_wait(barrier_of(stage), phase);
        put(out + tile * TILE_BYTES, size_of(tile, bytes), stage);
        const u64 next = tile + (u64)(STAGES - 1) * blocks;
        if (next < tiles) { /* reuse the stage of the previous store, which must have been read */
            asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
            fetch(in + next * TILE_BYTES, size_of(next, bytes), (stage + STAGES - 1) % STAGES);
        }
        if (++stage == STAGES) {
            stage = 0;
            phase ^= 1;
        }
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/* The same by all blocks of the grid. */
static __device__ __forceinline__ void bulk_stream(const u8 *__restrict__ in, u8 *__restrict__ out, u64 bytes,
                                                   u32 rest)
{
    bulk_stream_share(in, out, bytes, rest, blockIdx.x, gridDim.x);
}

#endif
