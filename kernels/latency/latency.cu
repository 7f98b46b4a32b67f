/* latency - what one load takes when nothing hides it: a pointer chase through one level of memory.
 *
 * The array is a ring of `slots` slots, each `hop` bytes after the other, and each holds the byte offset of the
 * next in an order that visits all of them once a lap and that no prefetcher foresees. One thread follows it. It
 * reads the clock after every HOPS dependent loads and reports the cycles of each such group.
 *
 *   shared    the block copies the ring to shared memory first
 *   l1        loads that may hit L1, after a pass that brought the ring there
 *   l2        loads that go to L2, after such a pass
 *   dram      loads that go to L2, of a ring far larger than L2, each line once
 *   constant  loads through the constant cache, indexed by the thread, after a lap
 *
 * A load whose result is the next load's address costs just its latency. For l1 and l2 the first pass therefore
 * turns the offsets into addresses, in a ring of its own. That pass would leave dram's ring in L2, so there each
 * hop adds the offset to the array's start, a 64-bit addition of some 10 cycles beside several hundred. */
#include "device.cuh"

#ifndef HOPS
#error "HOPS is not defined"
#endif
#define GROUPS  512 /* as in latency.c */
#define THREADS 32

#if defined(variant_constant)
extern "C" {
__constant__ u64 table[8192]; /* all 64 KiB: the worker copies the ring into it */
}
#endif
extern __shared__ __align__(16) u64 ring[];

/* One hop: from a place to the one that it names. */
#if defined(variant_shared)
typedef u32 place; /* an address in shared memory */
static __device__ __forceinline__ place next(place at, u64 start)
{
    asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
    return at;
}
#elif defined(variant_l1)
typedef u64 place; /* an address */
static __device__ __forceinline__ place next(place at, u64 start)
{
    asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
    return at;
}
#elif defined(variant_l2)
typedef u64 place; /* an address */
static __device__ __forceinline__ place next(place at, u64 start)
{
    asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
    return at;
}
#elif defined(variant_dram)
typedef u64 place; /* an offset from `start` */
static __device__ __forceinline__ place next(place at, u64 start)
{
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(at) : "l"(start + at) : "memory");
    return at;
}
#elif defined(variant_constant)
typedef u32 place; /* an offset into the table */
static __device__ __forceinline__ place next(place at, u64 start)
{
    return *(const u32 *)((const char *)table + at);
}
#else
#error "no variant_... is defined"
#endif

/* The clock, read when `at` is there: the branch needs it, and is never taken, which the compiler cannot know. */
static __device__ __forceinline__ u64 clock_after(place at, u64 never)
{
    if (at == (place)never)
        __trap();
    return clock64();
}

/* One warp: all lanes prepare, the first one chases. `words` is slots * hop / 8, `step` hop / 8; `own` is a
 * ring's room (l1, l2); `never` is no place in the ring. */
extern "C" __global__ void __launch_bounds__(THREADS)
    latency(const u64 *offsets, u64 *own, u64 *out, u32 *cycles, u64 words, u64 step, u64 never)
{
    [[maybe_unused]] const u64 first = threadIdx.x * step, stride = THREADS * step;
    u64 start = (u64)offsets;
    place origin = 0;
#if defined(variant_shared)
    origin = (u32)__cvta_generic_to_shared(ring);
    for (u64 i = first; i < words; i += stride)
        ring[i] = origin + offsets[i];
    __syncwarp();
#elif defined(variant_l1) || defined(variant_l2)
    origin = (u64)own;
#pragma unroll 4
    for (u64 i = first; i < words; i += stride)
        own[i] = origin + offsets[i];
    __threadfence();
    __syncwarp();
    for (u64 i = first; i < words; i += stride)
        next((u64)(own + i), start);
    __syncwarp();
#endif
    if (threadIdx.x != 0)
        return;
    place at = origin;
#if defined(variant_constant)
    for (u64 i = 0; i < words; i += step)
        at = next(at, start);
#endif
#pragma unroll 1
    for (int group = 0; group < GROUPS; group++) {
        u64 begin = clock_after(at, never);
#pragma unroll
        for (int i = 0; i < HOPS; i++)
            at = next(at, start);
        cycles[group] = (u32)(clock_after(at, never) - begin);
    }
    *out = at - origin;
}
