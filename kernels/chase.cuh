/* chase.cuh - a chase through a ring in memory, each load giving the address of the next, and the time of one
 * access: included by NAME.cu as "chase.cuh". */
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

/* Read the clock when `at` has arrived: the branch depends on it, and is never taken, which the compiler
 * cannot know. */
template <typename place> static __device__ __forceinline__ u64 clock_after(place at, u32 never)
{
    if (at == (place)never)
        __trap();
    return clock64();
}

/* The number of the multiprocessor that runs this thread. */
[[maybe_unused]] static __device__ __forceinline__ u32 multiprocessor()
{
    u32 number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

/* An atomic that leaves what it finds, and returns it. */
[[maybe_unused]] static __device__ __forceinline__ u64 add_nothing(u64 at)
{
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%0], 0;" : "+l"(at)::"memory");
    return at;
}

enum { PROBE_TRIES = 3 };

/* Cycles of an atomic on a line, the least of several: the first one may wait for DRAM. An atomic is done
 * where L2 has the line's home, whoever holds a copy. Any value may be there: twice it is even, and unlike
 * `never`, which is odd. */
[[maybe_unused]] static __device__ u32 cycles_to(u64 address, u32 never)
{
    u32 least = ~0u;
#pragma unroll 1
    for (int i = 0; i < PROBE_TRIES; i++) {
        const u64 begin = clock64();
        const u32 took = (u32)(clock_after(add_nothing(address) << 1, never) - begin);
        least = took < least ? took : least;
    }
    return least;
}

/* Near and far lines are two groups where L2 has two sides: the distance of their means is 17 times the mean
 * deviation from them on an H200. Latencies that spread evenly, as of one side, give 4. A kernel that finds
 * one side says so in the first word of its report, and the worker ends the point as unsupported. */
enum { SIDES_APART = 8 };
enum : u32 { REPORT_ONE_SIDE = 0xfffffff1u /* as in src/worker/cuda/cuda_verify.c */ };

/* Cycles of `count` lines, and their sum. */
[[maybe_unused]] static __device__ bool has_two_sides(const u32 *took, u32 count, u64 sum)
{
    u64 near = 0;
    u32 nears = 0;
    float deviation = 0;
#pragma unroll 1
    for (u32 i = 0; i < count; i++)
        if ((u64)took[i] * count < sum)
            near += took[i], nears++;
    if (nears == 0 || nears == count)
        return false;
    const float near_mean = (float)near / (float)nears,
                far_mean = (float)(sum - near) / (float)(count - nears);
#pragma unroll 1
    for (u32 i = 0; i < count; i++)
        deviation += fabsf((float)took[i] - ((u64)took[i] * count < sum ? near_mean : far_mean));
    return (far_mean - near_mean) * (float)count >= SIDES_APART * deviation;
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
