/* block_load - ways to load a tile into registers: CUB's algorithms against handwritten shared memory.
 *
 * Each block loads a tile of BLOCK * ITEMS elements, ITEMS per thread, reverses the order of each thread's
 * elements, and stores the tile in the same way. In a blocked arrangement the elements of a thread are
 * neighbours: element i of thread t is t * ITEMS + i. Coalesced accesses need neighbouring threads at
 * neighbouring elements instead:
 *
 *   direct                       each thread loads its own elements: lanes are ITEMS elements apart
 *   striped                      element i of thread t is i * BLOCK + t: coalesced, but not blocked
 *   vectorize                    direct, in accesses of up to four elements
 *   transpose                    coalesced loads, then blocked through shared memory
 *   warp_transpose               the same within each warp: no block barrier
 *   warp_transpose_timesliced    the same, one warp at a time in shared memory for one warp
 *   manual                       handwritten transpose without CUB's padding: bank conflicts for even ITEMS
 *   wide                         handwritten direct, by accesses of up to 32 bytes: one instruction from
 *                                sm_100 on, two on older architectures
 *
 * The reversal makes the arrangement visible in the output: without it, the store would undo any arrangement
 * of the load. Elements past the end of the array are zero. */
#include "device.cuh"

#ifndef ITEMS
#error "ITEMS is not defined"
#endif
#ifndef BLOCK
#error "BLOCK is not defined"
#endif

#if ELEMENT_SIZE == 1
typedef u8 element; /* only bits are moved, whatever their type */
#elif ELEMENT_SIZE == 2
typedef u16 element;
#elif ELEMENT_SIZE == 4
typedef u32 element;
#elif ELEMENT_SIZE == 8
typedef u64 element;
#else
#error "ELEMENT_SIZE (axis dtype) is not defined"
#endif

enum { TILE = BLOCK * ITEMS };

static __device__ __forceinline__ void reverse(element (&item)[ITEMS])
{
#pragma unroll
    for (int i = 0; i < ITEMS / 2; i++) {
        element other = item[i];
        item[i] = item[ITEMS - 1 - i];
        item[ITEMS - 1 - i] = other;
    }
}

#if defined(variant_manual)

/* `valid`: elements of the tile that are in the array. */
static __device__ __forceinline__ void process(const element *in, element *out, int valid)
{
    __shared__ volatile element
        tile[TILE]; /* volatile: otherwise the assembler merges neighbouring accesses */
    element item[ITEMS];
    const int thread = threadIdx.x;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        item[i] = i * BLOCK + thread < valid ? in[i * BLOCK + thread] : element(0);
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        tile[i * BLOCK + thread] = item[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        item[i] = tile[thread * ITEMS + i];
    reverse(item); /* write back in place: no other thread accesses these */
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        tile[thread * ITEMS + i] = item[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        item[i] = tile[i * BLOCK + thread];
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (i * BLOCK + thread < valid)
            out[i * BLOCK + thread] = item[i];
}

#elif defined(variant_wide)

enum { BYTES = ITEMS * ELEMENT_SIZE, WIDTH = BYTES < 32 ? BYTES : 32, PARTS = BYTES / WIDTH };

struct parts {
    bytes_of<WIDTH> part[PARTS];
};

static __device__ __forceinline__ void process(const element *in, element *out, int valid)
{
    const int first = threadIdx.x * ITEMS;
    union {
        parts whole;
        element item[ITEMS];
    } mine;
    if (valid == TILE) {
        mine.whole = ((const parts *)in)[threadIdx.x];
        reverse(mine.item);
        ((parts *)out)[threadIdx.x] = mine.whole;
        return;
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        mine.item[i] = first + i < valid ? in[first + i] : element(0);
    reverse(mine.item);
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (first + i < valid)
            out[first + i] = mine.item[i];
}

#else
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>

#if defined(variant_direct)
#define ALGORITHM(what) what##_DIRECT
#elif defined(variant_striped)
#define ALGORITHM(what) what##_STRIPED
#elif defined(variant_vectorize)
#define ALGORITHM(what) what##_VECTORIZE
#elif defined(variant_transpose)
#define ALGORITHM(what) what##_TRANSPOSE
#elif defined(variant_warp_transpose)
#define ALGORITHM(what) what##_WARP_TRANSPOSE
#elif defined(variant_warp_transpose_timesliced)
#define ALGORITHM(what) what##_WARP_TRANSPOSE_TIMESLICED
#else
#error "no variant_... is defined"
#endif

static __device__ __forceinline__ void process(const element *in, element *out, int valid)
{
    typedef cub::BlockLoad<element, BLOCK, ITEMS, cub::ALGORITHM(BLOCK_LOAD)> load;
    typedef cub::BlockStore<element, BLOCK, ITEMS, cub::ALGORITHM(BLOCK_STORE)> store;
    __shared__ union {
        typename load::TempStorage load;
        typename store::TempStorage store;
    } storage;
    element item[ITEMS];
    if (valid == TILE)
        load(storage.load).Load(in, item);
    else
        load(storage.load).Load(in, item, valid, element(0));
    reverse(item);
    if (sizeof(typename load::TempStorage) > 1) /* TempStorage of size 1 is empty */
        __syncthreads();                        /* load and store share it */
    if (valid == TILE)
        store(storage.store).Store(out, item);
    else
        store(storage.store).Store(out, item, valid);
}

#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    block_load(const element *__restrict__ in, element *__restrict__ out, u64 count, u64 offset)
{
    in += offset;
    const u64 first = (u64)blockIdx.x * TILE;
    if (first + TILE <= count)
        process(in + first, out + first, TILE);
    else
        process(in + first, out + first, (int)(count - first));
}
