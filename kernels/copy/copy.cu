/* copy - copy an array with different access patterns.
 *
 * One access moves VECTOR elements. Neighbouring threads make neighbouring accesses. Each thread makes ITEMS
 * accesses, a block's width apart, with all loads before the first store: ITEMS loads are in flight per
 * thread.
 *
 *   load        access k reads at k * stride, writes at k          (coalescing of loads)
 *   store       access k reads at k, writes at k * stride          (coalescing of stores)
 *   gridstride  like load, but a fixed grid loops over the array   (a persistent kernel)
 *   bulk        tiles of TILE_BYTES bytes go to shared memory and back by bulk copies, with STAGES tiles in
 *               flight; no thread accesses an element (UBLKCP; from sm_90 on)
 *   bulk_load   one thread copies all input of its block to shared memory by one bulk copy (from sm_90 on);
 *               each thread reads its ITEMS accesses from there, and stores them as `load` does
 *
 * A scalar copy is limited by instructions, so the code must be as short as `if (i < n) out[i] = in[i]`.
 * There are separate kernels for stride 1 and for any stride, each with 32-bit and 64-bit indices; copy.c
 * chooses. `hint` selects the cache hints of the accesses (hint.cuh).
 *
 * The axis `offset` is already added to the pointer of the strided side. */
#include "bulk.cuh"
#include "device.cuh"
#include "hint.cuh"

#ifndef ELEMENT_SIZE
#error "ELEMENT_SIZE (axis dtype) is not defined"
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
#ifndef TILE_BYTES
#error "TILE_BYTES is not defined"
#endif

#if defined(variant_bulk)

enum { STAGES = 4 };

#include "bulk_stream.cuh"

extern "C" __global__ void __launch_bounds__(32)
    copy(const u8 *__restrict__ in, u8 *__restrict__ out, u64 bytes, u32 rest)
{
    bulk_stream(in, out, bytes, rest);
}

#else

typedef bytes_of<VECTOR * ELEMENT_SIZE> access; /* only bits are moved, whatever their type */

#ifdef variant_bulk_load
constexpr bool by_tiles = true;
#else
constexpr bool by_tiles = ITEMS > 1;
#endif

/* Copy `accesses` accesses, `from_step` apart in the input and `to_step` apart in the output. */
template <typename number>
static __device__ __forceinline__ void move(const access *__restrict__ in, access *__restrict__ out,
                                            number accesses, number from_step, number to_step)
{
#ifdef variant_gridstride
    const number step = (number)gridDim.x * (BLOCK * ITEMS);
    for (number first = (number)blockIdx.x * (BLOCK * ITEMS) + threadIdx.x; first < accesses; first += step)
#else
    const number first = (number)blockIdx.x * (BLOCK * ITEMS) + threadIdx.x;
#endif
    {
        access value[ITEMS];
        /* A branch for the whole block: a divergent warp would issue its requests twice. */
        if (by_tiles ? first - threadIdx.x + ITEMS * BLOCK <= accesses : first < accesses) {
#ifdef variant_bulk_load
            constexpr u32 bytes = sizeof(access) * ITEMS * BLOCK;
            bulk_tile_load(bytes, [&](u32 tile, u32 barrier) {
                bulk_copy(tile, in + (number)blockIdx.x * (BLOCK * ITEMS), bytes, barrier);
            });
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                value[i] = ((const access *)bulk_tile)[threadIdx.x + i * BLOCK];
#else
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                value[i] = hinted_load(&in[(first + i * BLOCK) * from_step]);
#endif
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                hinted_store(&out[(first + i * BLOCK) * to_step], value[i]);
        } else if (by_tiles) { /* the last round of the last block */
#pragma unroll 1
            for (number k = first; k < accesses; k += BLOCK)
                out[k * to_step] = in[k * from_step];
        }
    }
}

#define KERNEL(name, number, ...)                                                                            \
    extern "C" __global__ void __launch_bounds__(BLOCK)                                                      \
        name(const access *__restrict__ in, access *__restrict__ out, number accesses, ##__VA_ARGS__)

KERNEL(copy, u32)
{
    move<u32>(in, out, accesses, 1, 1);
}
KERNEL(copy_large, u64)
{
    move<u64>(in, out, accesses, 1, 1);
}

#ifndef variant_bulk_load
#if defined(variant_load) || defined(variant_gridstride)
#define STEPS stride, 1
#elif defined(variant_store)
#define STEPS 1, stride
#else
#error "no variant_... is defined"
#endif
KERNEL(copy_strided, u32, u32 stride)
{
    move<u32>(in, out, accesses, STEPS);
}
KERNEL(copy_strided_large, u64, u64 stride)
{
    move<u64>(in, out, accesses, STEPS);
}
#endif
#endif
