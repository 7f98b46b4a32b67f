/* add - out = a + b: the width of the memory access against the width of the arithmetic, and aliasing.
 *
 * Two arrays are read and one is written, with almost no arithmetic, so memory is the limit. A group is the
 * elements that a thread adds at a time; neighbouring threads have neighbouring groups.
 *
 *   scalar    1 element per access: a warp loads 128 bytes of f32, but only 64 bytes of f16
 *   vector    VECTOR floats per access, 16 bytes if that is 0: a quarter of the instructions for the same
 *             bytes
 *   half2     2 halves per access of 4 bytes, added by one instruction
 *   unpacked  8 halves by four half2 accesses: as many bytes in flight per thread as `packed`, but the lanes
 *             of each access are 16 bytes apart, so that it touches 16 sectors and uses only part of each;
 *             the other accesses must hit L1
 *   packed    VECTOR halves per access, 16 bytes if that is 0, added in pairs
 *   bulk_load any type: one thread copies the block's groups of both arrays to shared memory by two bulk
 *             copies (UBLKCP; from sm_90 on); each thread reads its groups from there, VECTOR elements at a
 *             time, and stores as the other variants do
 *
 * An access of 32 bytes is one instruction from sm_100 on, and two of 16 bytes on older architectures.
 *
 * Each thread adds ITEMS groups, a block's width apart. With `restrict` stores cannot change elements that
 * are not read yet: all loads are issued first, are in flight together, and use the read-only path. Without
 * it each group waits for the one before.
 *
 * To reach the bandwidth, a block must issue its loads as soon as it starts. So indices have 32 bits if the
 * arrays allow it (add.c chooses), and a single comparison separates whole blocks from the last one.
 *
 *   hint none           chosen by the compiler
 *   hint stream_out     stores are marked evict-first (st.global.cs)
 *   hint stream         loads and stores are marked evict-first
 *   hint read_ahead     loads do not allocate in L1, and L2 fetches 256 bytes
 *                       (ld.global.L1::no_allocate.L2::256B) */
#include "bulk.cuh"
#include "device.cuh"

#ifndef ELEMENT_SIZE
#error "ELEMENT_SIZE (axis dtype) is not defined"
#endif
#ifndef ITEMS
#error "ITEMS is not defined"
#endif
#ifndef BLOCK
#error "BLOCK is not defined"
#endif
#ifndef VECTOR
#error "VECTOR is not defined"
#endif

/* PARTS accesses of WIDTH elements make a group. */
#if defined(variant_scalar)
enum { WIDTH = 1, PARTS = 1 };
#elif defined(variant_vector) || defined(variant_packed) || defined(variant_bulk_load)
enum { WIDTH = VECTOR ? VECTOR : 16 / ELEMENT_SIZE, PARTS = 1 };
#elif defined(variant_half2)
enum { WIDTH = 2, PARTS = 1 };
#elif defined(variant_unpacked)
enum { WIDTH = 2, PARTS = 4 };
#else
#error "no variant_... is defined"
#endif

#if defined(DTYPE_f32)
typedef float pair; /* floats are added one by one */
#elif defined(DTYPE_f16)
#include <cuda_fp16.h>
typedef __half2 pair;
#elif defined(DTYPE_bf16)
#include <cuda_bf16.h>
typedef __nv_bfloat162 pair;
#else
#error "add has no arithmetic for this dtype"
#endif

#if defined(restrict_yes)
#define POINTER *__restrict__
#elif defined(restrict_no)
#define POINTER *
#else
#error "no restrict_... is defined"
#endif

typedef ELEMENT element;
typedef bytes_of<WIDTH * ELEMENT_SIZE> access;
struct group {
    access part[PARTS];
};

#if defined(hint_read_ahead)
#define READ_AHEAD "ld.global.L1::no_allocate.L2::256B"
[[maybe_unused]] static __device__ inline void fetch(bytes_of<2> &v, const access *p)
{
    asm volatile(READ_AHEAD ".u16 %0, [%1];" : "=h"(v.part) : "l"(p) : "memory");
}
[[maybe_unused]] static __device__ inline void fetch(bytes_of<4> &v, const access *p)
{
    asm volatile(READ_AHEAD ".u32 %0, [%1];" : "=r"(v.part) : "l"(p) : "memory");
}
[[maybe_unused]] static __device__ inline void fetch(bytes_of<8> &v, const access *p)
{
    asm volatile(READ_AHEAD ".v2.u32 {%0, %1}, [%2];" : "=r"(v.part.x), "=r"(v.part.y) : "l"(p) : "memory");
}
[[maybe_unused]] static __device__ inline void fetch(bytes_of<16> &v, const access *p)
{
    asm volatile(READ_AHEAD ".v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.part.x), "=r"(v.part.y), "=r"(v.part.z), "=r"(v.part.w)
                 : "l"(p)
                 : "memory");
}
#endif

static __device__ inline access load(const access *p)
{
#if defined(hint_read_ahead)
    access value;
    fetch(value, p);
    return value;
#elif defined(hint_stream)
    return {__ldcs(&p->part)};
#elif defined(hint_none) || defined(hint_stream_out)
    return *p;
#else
#error "no hint_... is defined"
#endif
}

static __device__ inline void store(access *p, const access &value)
{
#if defined(hint_stream) || defined(hint_stream_out)
    __stcs(&p->part, value.part);
#else
    *p = value;
#endif
}

static __device__ inline access sum(const access &x, const access &y)
{
    access out;
    if constexpr (WIDTH == 1) {
        *(element *)&out = *(const element *)&x + *(const element *)&y;
    } else {
#pragma unroll
        for (int i = 0; i < (int)(sizeof(access) / sizeof(pair)); i++)
            ((pair *)&out)[i] = ((const pair *)&x)[i] + ((const pair *)&y)[i];
    }
    return out;
}

#ifdef variant_bulk_load
/* Add the groups of a thread of a whole block, from group `first` on. Neighbouring threads read neighbouring
 * words: no bank conflicts. */
template <typename number>
static __device__ __forceinline__ void add_groups(const access POINTER a, const access POINTER b,
                                                  access POINTER out, number first)
{
    constexpr u32 bytes = sizeof(access) * ITEMS * BLOCK;
    const number start = blockIdx.x * (number)(ITEMS * BLOCK);
    bulk_tile_load(2 * bytes, [&](u32 tile, u32 barrier) {
        bulk_copy(tile, a + start, bytes, barrier);
        bulk_copy(tile + bytes, b + start, bytes, barrier);
    });
    const access *x = (const access *)bulk_tile + threadIdx.x, *y = x + ITEMS * BLOCK;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        store(&out[first + i * BLOCK], sum(x[i * BLOCK], y[i * BLOCK]));
}
#else
/* Add the groups of a thread of a whole block, from group `first` on. */
template <typename number>
static __device__ __forceinline__ void add_groups(const access POINTER a, const access POINTER b,
                                                  access POINTER out, number first)
{
#ifdef restrict_yes
    group x[ITEMS], y[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
#pragma unroll
        for (int k = 0; k < PARTS; k++) {
            x[i].part[k] = load(&a[(first + i * BLOCK) * PARTS + k]);
            y[i].part[k] = load(&b[(first + i * BLOCK) * PARTS + k]);
        }
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
#pragma unroll
        for (int k = 0; k < PARTS; k++)
            store(&out[(first + i * BLOCK) * PARTS + k], sum(x[i].part[k], y[i].part[k]));
#else
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
#pragma unroll
        for (int k = 0; k < PARTS; k++) {
            const number at = (first + i * BLOCK) * PARTS + k;
            store(&out[at], sum(load(&a[at]), load(&b[at])));
        }
#endif
}
#endif

/* `count`: elements per array. */
template <typename number>
static __device__ __forceinline__ void add_tile(const element POINTER a, const element POINTER b,
                                                element POINTER out, number count)
{
    u32 thread; /* read here, together with the block index: the compiler would read it after the comparison,
                   and wait again */
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    const number tile = BLOCK * ITEMS * PARTS * WIDTH, start = blockIdx.x * tile;
    if (start + tile <= count) {
        add_groups<number>((const access *)a, (const access *)b, (access *)out,
                           (number)blockIdx.x * (BLOCK * ITEMS) + thread);
        return;
    }
#pragma unroll 1
    for (number i = start + thread; i < count; i += BLOCK) /* the last block, element by element */
        out[i] = a[i] + b[i];
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    add(const element POINTER a, const element POINTER b, element POINTER out, u32 count)
{
    add_tile<u32>(a, b, out, count);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    add_large(const element POINTER a, const element POINTER b, element POINTER out, u64 count)
{
    add_tile<u64>(a, b, out, count);
}
