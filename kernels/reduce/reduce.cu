/* reduce - the sum of an array: registers against shared memory, handwritten code against CUB.
 *
 * Each thread first sums in registers: ITEMS accesses of VECTOR elements, a block's width apart, all loaded
 * before the first addition. Then the block adds the sums of its threads. The variants differ in this second
 * step:
 *
 *   shared_tree   a tree in shared memory: each level stores, waits for the block, and loads
 *   shuffle       a tree in the registers of a warp (shfl); shared memory only between warps
 *   redux         the integer sum of a warp by one instruction (redux.sync, from sm_80 on)
 *   cub_warp      cub::WarpReduce in place of the shuffles
 *   cub_block     cub::BlockReduce
 *
 * With `grid` resident, only as many blocks as are resident loop over the array, and the second step hardly
 * matters. With `grid` cover each block sums one tile, and the second step matters. The last block to finish
 * adds the sums of all blocks: one launch, and the same order of additions in every launch. */
#include "device.cuh"
#include "sum.cuh"

#if defined(variant_cub_warp)
#include <cub/warp/warp_reduce.cuh>
#elif defined(variant_cub_block)
#include <cub/block/block_reduce.cuh>
#endif

#ifndef VECTOR
#error "VECTOR is not defined"
#endif
#ifndef ITEMS
#error "ITEMS is not defined"
#endif
#ifndef BLOCK
#error "BLOCK is not defined"
#endif

#if defined(DTYPE_f32)
typedef float number;
#elif defined(DTYPE_i32)
typedef u32 number; /* integer sums wrap around */
#else
#error "no DTYPE_... that can be summed is defined"
#endif

typedef bytes_of<VECTOR * 4> access;
enum { WARPS = BLOCK / 32, ALL_LANES = 0xffffffff };

static __device__ __forceinline__ void add(number *sum, const access &value)
{
    union {
        access whole;
        number part[VECTOR];
    } u;
    u.whole = value;
#pragma unroll
    for (int i = 0; i < VECTOR; i++)
        sum[i] += u.part[i];
}

#if defined(variant_shared_tree)

/* The sum of `value` over the block, in thread 0. There must be a barrier between two calls. */
static __device__ number block_sum(number value)
{
    __shared__ number sums[BLOCK];
    constexpr int below = BLOCK - 1, smeared = below | below >> 1 | below >> 2 | below >> 4 | below >> 8;
    constexpr int top = (smeared + 1) / 2; /* the largest power of two below BLOCK */
    const int thread = threadIdx.x;
    sums[thread] = value;
#pragma unroll
    for (int half = top; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half && thread + half < BLOCK) {
            value += sums[thread + half];
            if (half > 1)
                sums[thread] = value;
        }
    }
    return value;
}

#elif defined(variant_cub_block)

static __device__ number block_sum(number value)
{
    typedef cub::BlockReduce<number, BLOCK> reduce;
    __shared__ typename reduce::TempStorage storage;
    return reduce(storage).Sum(value);
}

#else

/* The sum over the warp, in lane 0. */
static __device__ __forceinline__ number warp_sum(number value)
{
#if defined(variant_shuffle)
    return warp_sum_by_shuffle(value);
#elif defined(variant_redux)
    return __reduce_add_sync(ALL_LANES, value);
#elif defined(variant_cub_warp)
    typedef cub::WarpReduce<number> reduce;
    __shared__ typename reduce::TempStorage storage[WARPS];
    return reduce(storage[threadIdx.x / 32]).Sum(value);
#else
#error "no variant_... is defined"
#endif
}

static __device__ number block_sum(number value)
{
    return block_sum_by_warps<number, warp_sum>(value);
}

#endif

/* Sum `head` elements, then `accesses` aligned accesses, then `tail` elements; head and tail are shorter than
 * an access. `done` counts finished blocks; it is zero before and after a launch. */
extern "C" __global__ void __launch_bounds__(BLOCK, 1024 / BLOCK)
    reduce(const number *__restrict__ in, number *__restrict__ out, number *partial, u32 *done, u64 accesses,
           u32 head, u32 tail, u64 offset)
{
    in += offset;
    const access *body = (const access *)(in + head);
    number sum[VECTOR] = {};
    const u64 tile = BLOCK * ITEMS;
    for (u64 first = blockIdx.x * tile; first < accesses; first += gridDim.x * tile) {
        const access *from = body + first + threadIdx.x;
        if (first + tile <= accesses) {
            access value[ITEMS];
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                value[i] = from[i * BLOCK];
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                add(sum, value[i]);
        } else { /* the last tile */
#pragma unroll 1
            for (u32 i = threadIdx.x; i < (u32)(accesses - first); i += BLOCK)
                add(sum, body[first + i]);
        }
    }
    if (blockIdx.x == 0) {
        if (threadIdx.x < head)
            sum[0] += in[threadIdx.x];
        if (threadIdx.x < tail)
            sum[0] += in[head + accesses * VECTOR + threadIdx.x];
    }
    number total = 0;
#pragma unroll
    for (int i = 0; i < VECTOR; i++)
        total += sum[i];
    total = block_sum(total);
    if (!publishes_last(total, partial, done))
        return;
    total = 0;
    for (u32 i = threadIdx.x; i < gridDim.x; i += BLOCK)
        total += __ldcg(partial + i);
    total = block_sum(total);
    if (threadIdx.x == 0)
        *out = total;
}
