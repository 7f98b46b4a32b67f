/* peer_latency - latency of one access to another device's memory, by the clock of the device that makes it.
 *
 *   load        a chase of loads that bypass L1: ld.relaxed.gpu, which the peer's L2 answers if no cache here
 *               may keep the line
 *   load_l1     the same with loads that may hit L1
 *   atomic_add  atomics that add 0, atomic_cas: that compare with a value which is never there
 *   fence       a store, and a fence that waits until all devices can see it
 *   ping_pong   a round trip: this kernel stores a flag in the other device's memory, which the kernel there
 *               waits for and answers
 *
 * The ring is that of latency.cu, in the memory at the far end: its first launch writes it. */
#include "chase.cuh"

#ifndef HOPS
#error "HOPS is not defined"
#endif
enum { GROUPS = 1024, THREADS = 512 }; /* as in ring.h, peer_latency.c */

#if defined(variant_ping_pong)

/* Wait for a flag in this device's memory; false: nothing came. */
static __device__ __forceinline__ bool await(const u32 *flag, u32 wanted)
{
    u32 seen, tries = 0;
    u64 begin = 0;
    do {
        asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        if (++tries % 4096 == 0) {
            begin = begin ? begin : nanoseconds();
            if (nanoseconds() - begin > PATIENCE)
                return false;
        }
    } while (seen != wanted);
    return true;
}

static __device__ __forceinline__ void raise(u32 *flag, u32 value)
{
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

#else

/* One hop: from an address to the next. */
static __device__ __forceinline__ u64 next(u64 at)
{
#if defined(variant_load)
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%0];" : "+l"(at)::"memory");
#elif defined(variant_load_l1)
    asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
#elif defined(variant_atomic_add)
    asm volatile("atom.relaxed.sys.global.add.u64 %0, [%0], 0;" : "+l"(at)::"memory");
#elif defined(variant_atomic_cas)
    asm volatile("atom.relaxed.sys.global.cas.b64 %0, [%0], 1, 1;" : "+l"(at)::"memory");
#elif defined(variant_fence)
    asm volatile("st.relaxed.sys.global.u64 [%0], %0;\n\tfence.acq_rel.sys;" ::"l"(at) : "memory");
#else
#error "no variant_... is defined"
#endif
    return at;
}

#endif

/* One block: all threads build the ring, the first one chases. `flag` is in this device's memory, `other` in
 * the other's; `far`: this is the launch of the second device. The rest is as in latency.cu. */
extern "C" __global__ void __launch_bounds__(THREADS)
    peer_latency(u32 *flag, u32 *other, const u32 *offsets, u64 *own, u32 *cursor, u32 *out, u32 *cycles,
                 u64 slots, u64 step, u32 never, u32 far)
{
    const u32 begin_at = *(volatile u32 *)cursor;
#if defined(variant_ping_pong)
    if (threadIdx.x != 0)
        return;
    u32 turn = begin_at; /* read by both before the first answer: near writes it after the last */
    for (int group = 0; group < GROUPS; group++) {
        const u64 begin = clock_after(turn, ~never);
#pragma unroll 1
        for (int i = 0; i < HOPS; i++) {
            turn++;
            if (!far)
                raise(other, turn);
            if (!await(flag, turn))
                return;
            if (far)
                raise(other, turn);
        }
        if (!far)
            cycles[group] = (u32)(clock_after(turn, ~never) - begin);
    }
    if (!far)
        *cursor = *out = turn;
#else
    const u64 origin = (u64)own;
    if (begin_at == 0)
        build_ring(offsets, own, slots, step);
    if (threadIdx.x != 0)
        return;
#if defined(variant_fence)
    u64 at = origin;
#else
    u64 at = origin + begin_at;
#endif
#pragma unroll 1
    for (int group = 0; group < GROUPS; group++) {
        const u64 begin = clock_after(at, never);
#pragma unroll
        for (int i = 0; i < HOPS; i++)
            at = next(at);
        cycles[group] = (u32)(clock_after(at, never) - begin);
    }
#if defined(variant_fence)
    *cursor = *out = begin_at + GROUPS * HOPS;
#else
    *cursor = *out = (u32)(at - origin);
#endif
#endif
}
