/* latency - latency of a load: a pointer chase through one level of memory.
 *
 * The array is a ring of slots, `hop` bytes apart. Each slot holds the byte offset of the next one, in a
 * random order that visits every slot once per lap and defeats prefetchers. One thread follows the ring, from
 * where the previous launch stopped. It reads the clock after every HOPS dependent loads, and reports the
 * cycles of each such group.
 *
 *   shared    the block copies the ring to shared memory first
 *   dsmem     a cluster of two blocks: the first copies the ring to the shared memory of the second, and
 *             chases there
 *   l1        loads that may hit L1, after a pass that loaded the ring into L1
 *   l2        loads that bypass L1, after such a pass over L2. With a hot L2 the pass is made once, and then
 *             the chase itself decides what stays: a ring larger than L2 shows how much of it still hits
 *   dram      loads that bypass L1, of a ring far larger than L2, none of which is in L2
 *   constant  loads through the constant cache, indexed per thread, after a first lap
 *
 * With `through=bulk`, l2 and dram make each hop with a bulk copy (TMA) of 16 bytes to shared memory, wait at
 * its mbarrier, and load the next address from there. The warming pass is made by loads.
 *
 * If the result of a load is the address of the next one, a hop costs only the latency of the load. In global
 * memory the first launch therefore converts the offsets to addresses, in a second ring. It writes whole
 * sectors: the first load from a partially written sector would wait until the rest of it is read from
 * DRAM. */
#include "chase.cuh"

#ifndef HOPS
#error "HOPS is not defined"
#endif
#define GROUPS  1024 /* as in latency.c */
#define THREADS 512

#if defined(variant_constant)
extern "C" {
__constant__ u32 table[16384]; /* all 64 KiB; the worker copies the ring into it */
}
#endif
extern __shared__ __align__(16) u32 ring[];

/* One hop: from a slot to the next. */
#if defined(variant_dsmem)
typedef u64 place; /* a generic address: a 32-bit address would be converted by two moves in each hop */
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

#if defined(variant_dsmem)
/* A barrier of both blocks. */
static __device__ __forceinline__ void cluster_meet()
{
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

/* Copy the ring to the shared memory of the second block; returns its address. */
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

#if defined(through_bulk)
#include "bulk.cuh"

/* Makes hops by bulk copies, as one thread; `ready` completes a phase per hop. */
struct hopper {
    u32 landing, ready, parity;

    /* After the fence, copies see the initialised barrier, and the ring that this launch may have written by
     * stores. */
    __device__ __forceinline__ hopper()
    {
        __shared__ __align__(16) u64 slot[2];
        __shared__ u64 barrier;
        landing = shared_address(slot);
        ready = shared_address(&barrier);
        parity = 0;
        barrier_init(ready);
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    /* The next copy overwrites what this one brought, but cannot start before it was read: its source is what
     * was read. */
    __device__ __forceinline__ place operator()(place at)
    {
        bulk_load(landing, (const void *)at, 16, ready);
        barrier_wait(ready, parity);
        parity ^= 1;
        asm volatile("ld.shared.u64 %0, [%1];" : "=l"(at) : "r"(landing) : "memory");
        return at;
    }
};
#elif defined(through_load)
struct hopper {
    __device__ __forceinline__ place operator()(place at) { return next(at); }
};
#else
#error "no through_... is defined"
#endif

/* One block: all threads prepare, the first one chases. `slots`: number of slots, of `step` 8-byte words
 * each. `offsets`: one per slot. `warm`: make the warming pass at each launch. `cursor`: the offset to start
 * from, updated at the end; 0 before the ring is built. `never`: a value that is not in the ring. */
extern "C" __global__ void CLUSTER __launch_bounds__(THREADS)
    latency(const u32 *offsets, u64 *own, u32 *cursor, u32 *out, u32 *cycles, u64 slots, u64 step, u32 never,
            u32 warm)
{
    const u32 begin_at = *(volatile u32 *)cursor;
    [[maybe_unused]] place origin = 0, seen = 0;
#if defined(variant_dsmem)
    cluster_meet(); /* the other block must have started: its shared memory exists from then on */
    if (blockIdx.x != 0) {
        cluster_meet(); /* its shared memory must exist until the chase ends */
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
        build_ring(offsets, own, slots, step);
#endif
#if defined(variant_l1) || defined(variant_l2)
    for (u64 i = threadIdx.x; i < slots && (warm || begin_at == 0); i += THREADS)
        seen ^= next((u64)(own + i * step));
    if (seen == never) /* never true, but waits for the loads */
        __trap();
#endif
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    hopper hop;
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
            at = hop(at);
        cycles[group] = (u32)(clock_after(at, never) - begin);
    }
    *cursor = *out = (u32)(at - origin);
}
