/* tour.cuh - a chase round a tour of slots, by multiprocessors chosen by number: included by NAME.cu as
 * "tour.cuh".
 *
 * The grid has a block on each multiprocessor: so much shared memory that a second one does not fit
 * (rules_shared_alone), and all of them wait until the last has started. The block on a chosen multiprocessor
 * goes on, the others return. */
#ifndef KERNELS_TOUR_CUH
#define KERNELS_TOUR_CUH

#include "chase.cuh"

enum { GROUPS = 1024, THREADS = 256, LINE = 128, WORDS = 4 /* of a sector */ };
enum { NOBODY = 0xffffffff };

/* Wait until a counter that only counts up has come to `wanted`; false: it has not, and whoever counts does
 * not run. */
static __device__ bool has_come_to(const u32 *counter, u32 wanted)
{
    const u64 begin = nanoseconds();
    u32 seen;
    do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory");
        if (nanoseconds() - begin > PATIENCE)
            return false;
    } while ((int)(seen - wanted) < 0);
    return true;
}

struct role {
    u32 who;    /* what `number` makes of the multiprocessor */
    u32 launch; /* launches so far, with this one */
};

/* What this block has to do, decided by its multiprocessor after all blocks have started: the same for all of
 * its threads. Of a grid whose blocks do not all start, nobody goes on. `arrived` counts blocks, from launch
 * to launch. */
template <typename choice> static __device__ role role_of(u32 *arrived, choice number)
{
    __shared__ role mine;
    if (threadIdx.x == 0) {
        mine.launch = atomicAdd(arrived, 1) / gridDim.x + 1;
        mine.who = has_come_to(arrived, mine.launch * gridDim.x) ? number(multiprocessor()) : (u32)NOBODY;
    }
    __syncthreads();
    return mine;
}

/* The address of a slot: in each slot another line, the same one modulo `hop` as in an array of lines. */
static __device__ __forceinline__ u64 slot_address(u64 base, u32 slot, u64 hop)
{
    return base + slot * hop + (u64)slot * LINE % hop;
}

/* Write into each slot the address of the next one of the tour: slot order[i + 1] follows order[i].
 * `address`: of a slot. A sector is filled as a whole: the first load from one that was written in part would
 * wait for the rest of it. */
template <typename place> static __device__ void build_tour(const u32 *order, u32 slots, place address)
{
    for (u32 i = threadIdx.x; i < slots; i += THREADS) {
        u64 *here = (u64 *)address(order[i]);
        const u64 next = address(order[i + 1 < slots ? i + 1 : 0]);
#pragma unroll
        for (int word = 0; word < WORDS; word++)
            here[word] = next;
    }
    __threadfence();
    __syncthreads();
}

/* GROUPS groups of HOPS hops from `at`; the cycles of each group go to `cycles`. Returns where they end. */
template <typename step>
static __device__ __forceinline__ u64 chase_groups(u64 at, u32 *cycles, u32 never, step next)
{
#pragma unroll 1
    for (int group = 0; group < GROUPS; group++) {
        const u64 begin = clock_after(at, never);
#pragma unroll
        for (int i = 0; i < HOPS; i++)
            at = next(at);
        cycles[group] = (u32)(clock_after(at, never) - begin);
    }
    return at;
}

#endif
