/* pages - a chase with one access in each page, by one or several multiprocessors at a time. Device code: the
 * slots of a tour (tour.cuh) are `hop` bytes apart.
 *
 *   pages   slot i is at i * hop bytes, plus an offset: that of line i of an array of lines, modulo hop
 *   lines   the same number of lines, side by side on few pages: hop is that of a line
 *
 * Both variants are this code: the lines are as many, and their addresses are the same modulo hop, so that
 * they lie in L2 alike. What differs is the number of pages to translate. Loads bypass L1, which would need
 * no translation.
 *
 *   one      the multiprocessor `first` chases
 *   two      so does `second`, at the same time
 *   cluster  a cluster of 8 blocks, which the hardware places in one GPC
 *   all      all multiprocessors
 *
 * Each chaser has a tour of its own, `apart` bytes from that of the one before, or all have one tour (apart =
 * 0) and set out from places spread over it. */
#include "tour.cuh"

#ifndef HOPS
#error "HOPS is not defined"
#endif

#if defined(chasers_cluster)
#define CLUSTER __cluster_dims__(8, 1, 1)
#else
#define CLUSTER
#endif

/* Which chaser a multiprocessor is. */
static __device__ __forceinline__ u32 chaser([[maybe_unused]] u32 number, [[maybe_unused]] u32 first,
                                             [[maybe_unused]] u32 second)
{
#if defined(chasers_one) || defined(chasers_two)
    if (number == first)
        return 0;
#if defined(chasers_two)
    if (number == second)
        return 1;
#endif
    return NOBODY;
#elif defined(chasers_cluster)
    return blockIdx.x;
#elif defined(chasers_all)
    return number < gridDim.x ? number : (u32)NOBODY;
#else
#error "no chasers_... is defined"
#endif
}

static __device__ __forceinline__ u64 next(u64 at)
{
    asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
    return at;
}

/* `cursors`: for each chaser the position on its tour, plus 1; 0 before the tour is built. `never`: a value
 * that is no address. */
extern "C" __global__ void CLUSTER __launch_bounds__(THREADS)
    pages(const u32 *order, u8 *memory, u32 *cursors, u32 *arrived, u32 *out, u32 *cycles, u32 slots, u64 hop,
          u64 apart, u32 chasers, u32 first, u32 second, u32 never)
{
    const u32 who = role_of(arrived, [=](u32 number) { return chaser(number, first, second); }).who;
    if (who == NOBODY)
        return;
    const u64 base = (u64)memory + who * apart;
    const u32 cursor = *(volatile u32 *)&cursors[who];
    if (cursor == 0)
        build_tour(order, slots, [=](u32 slot) { return slot_address(base, slot, hop); });
    if (threadIdx.x != 0)
        return;
    u64 start = 0;
    if (cursor)
        start = cursor - 1;
    else if (!apart)
        start = (u64)who * slots / chasers;
    const u64 at = chase_groups(slot_address(base, order[start], hop), cycles + who * GROUPS, never, next);
    cursors[who] = (u32)((start + (u64)GROUPS * HOPS) % slots) + 1;
    out[who] = (u32)((at - base) / hop);
}
