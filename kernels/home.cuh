/* home.cuh - lines whose home in L2 is near to a multiprocessor, or far from it: included by NAME.cu as
 * "home.cuh".
 *
 * Which half of L2 has a line depends on its physical address, and so on the process. So lines are timed, and
 * those below the mean are near ones, if times are two groups. An atomic is done where L2 has the line's
 * home, whoever holds a copy. The compiled axis `home` says which ones. */
#ifndef KERNELS_HOME_CUH
#define KERNELS_HOME_CUH

#include "chase.cuh"

#if !defined(home_any)
#if defined(home_near)
enum { NEAR = 1 };
#elif defined(home_far)
enum { NEAR = 0 };
#else
#error "no home_... is defined"
#endif

/* As one thread, which has L2 to itself: choose `slots` of `lines` lines, which are all on one side of the
 * mean. choice[slot] is the line of a slot, and choice[slots + line] its slot. `address`: of a line. False:
 * there are too few, or L2 has one side, which is then reported. */
template <typename place>
static __device__ bool choose_lines(u32 *choice, u32 slots, u32 lines, place address, u32 never, u32 *report)
{
    u64 sum = 0;
    u32 found = 0;
#pragma unroll 1
    for (u32 line = 0; line < lines; line++)
        sum += choice[slots + line] = cycles_to(address(line), never);
    if (!has_two_sides(choice + slots, lines, sum)) {
        *report = REPORT_ONE_SIDE;
        return false;
    }
#pragma unroll 1
    for (u32 line = 0; line < lines && found < slots; line++)
        if (((u64)choice[slots + line] * lines < sum) == NEAR) {
            choice[found] = line;
            choice[slots + line] = found++;
        }
    __threadfence();
    return found == slots;
}
#endif

#endif
