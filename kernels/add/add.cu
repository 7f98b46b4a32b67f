/* add - out = a + b: the width of the memory access against the width of the arithmetic, and aliasing.
 *
 * Three streams, two read and one written, and next to no arithmetic: what the memory system gives is what counts.
 * A group is what one thread adds at once; neighbouring threads have neighbouring groups.
 *
 *   scalar    1 element by one access; a warp's load is 128 bytes of f32, and only 64 of f16
 *   vector    4 floats by one 16-byte access: a quarter of the instructions for the same bytes
 *   half2     2 halves by one 4-byte access, added by one instruction
 *   unpacked  8 halves by four half2 accesses: as much in flight per thread as `packed`, but the lanes of each access lie
 *             16 bytes apart, so that each touches 16 sectors of which it uses an eighth or a half; L1 has to mend it
 *   packed    8 halves by one 16-byte access, added by four half2 instructions
 *   wide      32 bytes, of floats or halves: one access from sm_100 on, two of 16 bytes before
 *
 * Each thread adds ITEMS groups, a block's width apart. With `restrict` the stores cannot change what is yet to be read: all
 * loads go first and are in flight together, through the read-only path. Without it each item waits for the one before.
 *
 *   hint none           what the compiler chooses
 *   hint stream_out     stores are marked evict-first (st.global.cs)
 *   hint stream         loads and stores are
 *   hint read_ahead     loads leave L1 alone and have L2 fetch 256 bytes (ld.global.L1::no_allocate.L2::256B) */
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

/* PARTS accesses of WIDTH elements make a group. */
#if defined(variant_scalar)
enum { WIDTH = 1, PARTS = 1 };
#elif defined(variant_vector)
enum { WIDTH = 4, PARTS = 1 };
#elif defined(variant_half2)
enum { WIDTH = 2, PARTS = 1 };
#elif defined(variant_unpacked)
enum { WIDTH = 2, PARTS = 4 };
#elif defined(variant_packed)
enum { WIDTH = 8, PARTS = 1 };
#elif defined(variant_wide)
enum { WIDTH = 32 / ELEMENT_SIZE, PARTS = 1 };
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

/* The arrays start `offset` elements into their aligned allocations and have `count` elements. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    add(const element POINTER a, const element POINTER b, element POINTER out, u64 count, u64 offset)
{
    const u32 tile = BLOCK * ITEMS * PARTS * WIDTH;
    const u64 start = (u64)blockIdx.x * tile;
    a += offset + start;
    b += offset + start;
    out += offset + start;
    if (count - start < tile) { /* the last block, one element after the other */
#pragma unroll 1
        for (u32 i = threadIdx.x; i < (u32)(count - start); i += BLOCK)
            out[i] = a[i] + b[i];
        return;
    }
    const access *from_a = (const access *)a, *from_b = (const access *)b;
    access *to = (access *)out;
    const u32 first = threadIdx.x * PARTS;
#ifdef restrict_yes
    group x[ITEMS], y[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
#pragma unroll
        for (int k = 0; k < PARTS; k++) {
            x[i].part[k] = load(from_a + first + i * BLOCK * PARTS + k);
            y[i].part[k] = load(from_b + first + i * BLOCK * PARTS + k);
        }
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
#pragma unroll
        for (int k = 0; k < PARTS; k++)
            store(to + first + i * BLOCK * PARTS + k, sum(x[i].part[k], y[i].part[k]));
#else
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
#pragma unroll
        for (int k = 0; k < PARTS; k++) {
            const u32 at = first + i * BLOCK * PARTS + k;
            store(to + at, sum(load(from_a + at), load(from_b + at)));
        }
#endif
}
