/* l2_topology - a chase through lines of L2 by one multiprocessor, chosen by number (tour.cuh).
 *
 *   load    loads that bypass L1
 *   atomic  atomics that add 0: an atomic is done where L2 has the line's home, whoever holds a copy
 *   l1      the control: loads that hit L1, whose latency must not depend on multiprocessor and line
 *
 * Before each chase, lines are brought to L2 by `warmed_by`:
 *
 *   same    the multiprocessor that chases loads them all
 *   other   another one, `other`, stores them all again, which invalidates all copies; the chase is the first to load them, once each
 *   both    first the other one stores them, then the one that chases loads them
 *
 * If each partition of L2 keeps copies of lines whose home is the other one, `other` has loads that hit near and loads that hit
 * far, and the others have near ones only. */
#include "tour.cuh"

#ifndef HOPS
#error "HOPS is not defined"
#endif

enum { CHASER, WARMER };             /* roles */
enum { BY_SAME, BY_OTHER, BY_BOTH }; /* as in l2_topology.c */

static __device__ __forceinline__ u64 next(u64 at)
{
#if defined(variant_load)
    asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
#elif defined(variant_atomic)
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%0], 0;" : "+l"(at)::"memory");
#elif defined(variant_l1)
    asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
#else
#error "no variant_... is defined"
#endif
    return at;
}

/* `counters`: blocks that have started, and passes of the warmer; `cursor`: the position on the tour plus 1, 0 before it is built;
 * `never`: a value that is no address. */
extern "C" __global__ void __launch_bounds__(THREADS)
    l2_topology(const u32 *order, u8 *memory, u32 *cursor, u32 *counters, u32 *out, u32 *cycles, u32 slots,
                u64 hop, u32 sm, u32 other, u32 warmed_by, u32 never)
{
    const role mine = role_of(&counters[0], [=](u32 number) {
        return number == sm                              ? (u32)CHASER
               : number == other && warmed_by != BY_SAME ? (u32)WARMER
                                                         : (u32)NOBODY;
    });
    if (mine.who == NOBODY)
        return;
    const u64 base = (u64)memory;
    const u32 position = *(volatile u32 *)cursor;
    if (warmed_by == BY_SAME ? position == 0 : mine.who == WARMER)
        build_tour(order, slots, base, hop);
    if (mine.who == WARMER) {
        if (threadIdx.x == 0)
            atomicAdd(&counters[1], 1);
        return;
    }
    if (warmed_by != BY_SAME && !__syncthreads_and(has_come_to(&counters[1], mine.launch)))
        return;
    u64 seen = 0;
#pragma unroll 1
    for (u32 i = threadIdx.x; warmed_by != BY_OTHER && i < slots; i += THREADS)
        seen ^= next(slot_address(base, i, hop));
    if (seen == never) /* not so, but waits for the loads */
        __trap();
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    const u64 start = position ? position - 1 : 0;
    const u64 at = chase_groups(slot_address(base, order[start], hop), cycles, never, next);
    *cursor = (u32)((start + (u64)GROUPS * HOPS) % slots) + 1;
    *out = (u32)((at - base) / hop);
}
