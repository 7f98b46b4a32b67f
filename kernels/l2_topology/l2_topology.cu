/* l2_topology - a chase through lines of L2 by one multiprocessor, chosen by number (tour.cuh).
 *
 *   load    loads that bypass L1
 *   atomic  atomics that add 0: an atomic is done where L2 has the line's home, whoever holds a copy
 *   l1      the control: loads that hit L1, whose latency must not depend on multiprocessor and line
 *
 * Before each chase, lines are brought to L2 by `warmed_by`:
 *
 *   same    the multiprocessor that chases loads them all
 *   other   another one, `other`, stores them all again, which invalidates all copies; the chase is the first
 *           to load them, once each
 *   both    first the other one stores them, then the one that chases loads them
 *
 * With `home=near` or `home=far`, the tour has only lines whose home is near to multiprocessor 0, or far from
 * it. Multiprocessor 0 finds them in the first launch. Which half of L2 has a line depends on its physical
 * address, and so on the process; which half is near to a multiprocessor does not.
 *
 * If each partition of L2 keeps copies of lines whose home is the other one, `other` has loads that hit near
 * and loads that hit far, and the others have near ones only. */
#include "home.cuh"
#include "tour.cuh"

#ifndef HOPS
#error "HOPS is not defined"
#endif

enum { CHASER, WARMER, CHOOSER };    /* roles */
enum { BY_SAME, BY_OTHER, BY_BOTH }; /* as in l2_topology.c */

static __device__ __forceinline__ u64 next(u64 at)
{
#if defined(variant_load)
    asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
#elif defined(variant_atomic)
    at = add_nothing(at);
#elif defined(variant_l1)
    asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
#else
#error "no variant_... is defined"
#endif
    return at;
}

#if defined(home_any)
static __device__ __forceinline__ u32 line_of(const u32 *, u32 slot)
{
    return slot;
}
static __device__ __forceinline__ u32 slot_of(const u32 *, u32, u32 line)
{
    return line;
}
#else
enum { CANDIDATES = 4 /* lines for each slot, as in l2_topology.c */ };

/* `choice`: the line of each slot, then the slot of each line. */
static __device__ __forceinline__ u32 line_of(const u32 *choice, u32 slot)
{
    return choice[slot];
}
static __device__ __forceinline__ u32 slot_of(const u32 *choice, u32 slots, u32 line)
{
    return choice[slots + line];
}
#endif

/* `counters`: blocks that have started, and passes of the warmer, or choices of lines; `cursor`: the position
 * on the tour plus 1, 0 before it is built; `never`: a value that is no address. */
extern "C" __global__ void __launch_bounds__(THREADS)
    l2_topology(const u32 *order, u8 *memory, u32 *cursor, u32 *counters, u32 *out, u32 *cycles, u32 slots,
                u64 hop, u32 sm, u32 other, u32 warmed_by, u32 never, [[maybe_unused]] u32 *choice)
{
    const role mine = role_of(&counters[0], [=](u32 number) {
        if (number == sm)
            return (u32)CHASER;
        if (number == other && warmed_by != BY_SAME)
            return (u32)WARMER;
#if !defined(home_any)
        if (number == 0)
            return (u32)CHOOSER;
#endif
        return (u32)NOBODY;
    });
    if (mine.who == NOBODY)
        return;
    const u64 base = (u64)memory;
    const u32 position = *(volatile u32 *)cursor;
    const auto address = [=](u32 slot) { return slot_address(base, line_of(choice, slot), hop); };
#if !defined(home_any)
    if (position == 0 && (mine.who == CHOOSER || sm == 0)) {
        if (threadIdx.x == 0 && choose_lines(
                                    choice, slots, CANDIDATES * slots,
                                    [=](u32 line) { return slot_address(base, line, hop); }, never, cycles))
            atomicAdd(&counters[1], 1);
        __syncthreads(); /* the others do not poll meanwhile */
    }
    if (mine.who == CHOOSER)
        return;
    if (position == 0 && !__syncthreads_and(has_come_to(&counters[1], 1)))
        return;
#endif
    if (warmed_by == BY_SAME ? position == 0 : mine.who == WARMER)
        build_tour(order, slots, address);
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
        seen ^= next(address(i));
    if (seen == never) /* not so, but waits for the loads */
        __trap();
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    const u64 start = position ? position - 1 : 0;
    const u64 at = chase_groups(address(order[start]), cycles, never, next);
    *cursor = (u32)((start + (u64)GROUPS * HOPS) % slots) + 1;
    *out = slot_of(choice, slots, (u32)((at - base) / hop));
}
