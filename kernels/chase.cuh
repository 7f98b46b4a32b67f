/* chase.cuh - a chase through a ring in memory, each load giving the address of the next: included by NAME.cu as "chase.cuh". */
#ifndef KERNELS_CHASE_CUH
#define KERNELS_CHASE_CUH

#include "device.cuh"

/* Without an answer from another kernel or block for so long it is not running; nanoseconds. */
#define PATIENCE 1000000000ull

[[maybe_unused]] static __device__ __forceinline__ u64 nanoseconds()
{
    u64 now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

/* Read the clock when `at` has arrived: the branch depends on it, and is never taken, which the compiler cannot know. */
template <typename place> static __device__ __forceinline__ u64 clock_after(place at, u32 never)
{
    if (at == (place)never)
        __trap();
    return clock64();
}

/* Build the ring of addresses at `own`. The address fills all words of the slot within its sector. */
[[maybe_unused]] static __device__ void build_ring(const u32 *offsets, u64 *own, u64 slots, u64 step)
{
    const u64 words = step < 4 ? step : 4;
    for (u64 i = threadIdx.x; i < slots; i += blockDim.x)
        for (u64 word = 0; word < words; word++)
            own[i * step + word] = (u64)own + offsets[i];
    __threadfence();
    __syncthreads();
}

#endif
