/* latency - what one load takes when nothing hides it: a pointer chase through one level of memory.
 *
 * The array is a ring of slots, each `hop` bytes after the other, and each holds the byte offset of the next in an
 * order that visits all of them once a lap and that no prefetcher foresees. One thread follows it, from where the last
 * launch left off. It reads the clock after every HOPS dependent loads and reports the cycles of each such group.
 *
 *   shared    the block copies the ring to shared memory first
 *   dsmem     a cluster of two blocks: the first one copies the ring to the other's shared memory, and chases there
 *   l1        loads that may hit L1, after a pass that brought the ring there
 *   l2        loads that go to L2, after such a pass. When L2 is hot that pass is made once, and then the chase itself
 *             decides what stays: a ring larger than L2 shows how much of it still hits
 *   dram      loads that go to L2, of a ring far larger than L2, none of which is there
 *   constant  loads through the constant cache, indexed by the thread, after a lap
 *
 * A load whose result is the next load's address costs just its latency. In global memory the first launch therefore
 * turns the offsets into addresses, in a ring of its own, and writes whole sectors: of one that is written in part, the
 * first load would wait until DRAM has completed it. */
#include "device.cuh"

#ifndef HOPS
#error "HOPS is not defined"
#endif
#define GROUPS  1024 /* as in latency.c */
#define THREADS 512

#if defined(variant_constant)
extern "C" {
__constant__ u32 table[16384]; /* all 64 KiB: the worker copies the ring into it */
}
#endif
extern __shared__ __align__(16) u32 ring[];

/* One hop: from a place to the one that it names. */
#if defined(variant_dsmem)
typedef u64 place; /* a generic address: of 32 bits, two moves would make it one in each hop */
static __device__ __forceinline__ place next(place at)
{
    asm volatile("ld.u64 %0, [%0];" : "+l"(at)::"memory");
    return at;
}
#define CLUSTER __cluster_dims__(2, 1, 1)
#elif defined(variant_shared)
typedef u32 place; /* an address in shared memory */
static __device__ __forceinline__ place next(place at)
{
    asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
    return at;
}
#elif defined(variant_l1)
typedef u64 place; /* an address */
static __device__ __forceinline__ place next(place at)
{
    asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
    return at;
}
#elif defined(variant_l2) || defined(variant_dram)
typedef u64 place;
static __device__ __forceinline__ place next(place at)
{
    asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
    return at;
}
#elif defined(variant_constant)
typedef u32 place; /* an offset into the table */
static __device__ __forceinline__ place next(place at)
{
    return *(const u32 *)((const char *)table + at);
}
#else
#error "no variant_... is defined"
#endif

/* The clock, read when `at` is there: the branch needs it, and is never taken, which the compiler cannot know. */
static __device__ __forceinline__ u64 clock_after(place at, u32 never)
{
    if (at == (place)never)
        __trap();
    return clock64();
}

/* The ring of addresses at `own`, each in all words of its sector that the slot has. */
[[maybe_unused]] static __device__ void build(const u32 *offsets, u64 *own, u64 slots, u64 step)
{
    const u64 words = step < 4 ? step : 4;
    for (u64 i = threadIdx.x; i < slots; i += THREADS)
        for (u64 word = 0; word < words; word++)
            own[i * step + word] = (u64)own + offsets[i];
    __threadfence();
    __syncthreads();
}

#if defined(variant_dsmem)
/* All threads of both blocks that have not ended have come here. */
static __device__ __forceinline__ void cluster_meet()
{
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

/* Copy the ring to the second block's shared memory; returns where. */
static __device__ place build_beyond(const u32 *offsets, u64 slots, u64 step)
{
    u64 origin;
    asm("mapa.u64 %0, %1, 1;" : "=l"(origin) : "l"(ring));
    for (u64 i = threadIdx.x; i < slots; i += THREADS)
        *(u64 *)(origin + i * step * 8) = origin + offsets[i];
    return origin;
}
#endif

#ifndef CLUSTER
#define CLUSTER
#endif

/* One block: all threads prepare, the first one chases. `slots` of `step` 8-byte words; `offsets` has one
 * of each; `warm` asks for the pass at each launch; `cursor` holds the offset to begin at, and to go on from, and 0 when nothing is built;
 * `never` is no place in the ring. */
extern "C" __global__ void CLUSTER __launch_bounds__(THREADS)
    latency(const u32 *offsets, u64 *own, u32 *cursor, u32 *out, u32 *cycles, u64 slots, u64 step, u32 never,
            u32 warm)
{
    const u32 begin_at = *(volatile u32 *)cursor;
    [[maybe_unused]] place origin = 0, seen = 0;
#if defined(variant_dsmem)
    cluster_meet(); /* only then is the other block's memory there */
    if (blockIdx.x != 0) {
        cluster_meet(); /* and it has to stay until the chase has ended */
        return;
    }
    origin = build_beyond(offsets, slots, step);
#elif defined(variant_shared)
    origin = (u32)__cvta_generic_to_shared(ring);
    for (u64 i = threadIdx.x; i < slots; i += THREADS)
        ring[i * step * 2] = origin + offsets[i];
#elif !defined(variant_constant)
    origin = (u64)own;
    if (begin_at == 0)
        build(offsets, own, slots, step);
#endif
#if defined(variant_l1) || defined(variant_l2)
    for (u64 i = threadIdx.x; i < slots && (warm || begin_at == 0); i += THREADS)
        seen ^= next((u64)(own + i * step));
    if (seen == never) /* no address is odd: but the loads have to end here */
        __trap();
#endif
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    place at = origin + begin_at;
#if defined(variant_constant)
    for (u64 i = 0; i < slots; i++)
        at = next(at);
#endif
#pragma unroll 1
    for (int group = 0; group < GROUPS; group++) {
        u64 begin = clock_after(at, never);
#pragma unroll
        for (int i = 0; i < HOPS; i++)
            at = next(at);
        cycles[group] = (u32)(clock_after(at, never) - begin);
    }
    *cursor = *out = (u32)(at - origin);
}
