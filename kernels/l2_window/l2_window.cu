/* l2_window - a window of memory that is read again and again, while a stream that is read once passes
 * through L2.
 *
 * In each round all threads read the window, then a part of the stream, 16 bytes a thread, past L1. The
 * launch may have an access policy window (struct l2_policy), which this code does not see. The loads of the
 * window are timed one by one, by the clock; those of the stream are not timed. Each warp returns the sum of
 * its words, so that all loads are needed. */
#define BLOCK 256 /* threads of a block */
#include "chase.cuh"
#include "sum.cuh"

#if !defined(variant_read)
#error "no variant_... is defined"
#endif

enum { STREAMED = 4 /* loads in flight */, FRACTION = 16 /* of a cycle, in reports */ };

static __device__ __forceinline__ uint4 load(const uint4 *from)
{
    uint4 value;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "l"(from));
    return value;
}

static __device__ __forceinline__ u32 sum_of(const uint4 &value)
{
    return value.x + value.y + value.z + value.w;
}

/* `reused`: accesses to the window; `streamed`, `part`: to the stream, in all and in a round, of which the
 * last ones may have fewer. `sums`: one per warp. `cycles`: of a load of the window, on average over those of
 * a warp, in sixteenths, for the first `reports` warps. `never`: a number that four words of the window do
 * not add up to. */
extern "C" __global__ void __launch_bounds__(BLOCK, 1024 / BLOCK)
    l2_window(const uint4 *window, const uint4 *stream, u32 *sums, u32 *cycles, u32 reused, u64 streamed,
              u32 part, u32 rounds, u32 reports, u32 never)
{
    const u32 threads = gridDim.x * BLOCK, thread = blockIdx.x * BLOCK + threadIdx.x;
    u32 sum = 0, loads = 0;
    u64 took = 0;
#pragma unroll 1
    for (u32 round = 0; round < rounds; round++) {
#pragma unroll 1
        for (u32 i = thread; i < reused; i += threads) {
            const u64 begin = clock64();
            const u32 read = sum_of(load(window + i));
            took += clock_after(read, never) - begin;
            sum += read;
            loads++;
        }
        const u64 first = (u64)round * part, left = streamed > first ? streamed - first : 0;
        const u32 count = left < part ? (u32)left : part;
        const uint4 *from = stream + first;
        u32 i = thread;
#pragma unroll 1
        for (; i + (STREAMED - 1) * threads < count; i += STREAMED * threads) {
            uint4 value[STREAMED];
#pragma unroll
            for (int k = 0; k < STREAMED; k++)
                value[k] = load(from + i + k * threads);
#pragma unroll
            for (int k = 0; k < STREAMED; k++)
                sum += sum_of(value[k]);
        }
#pragma unroll 1
        for (; i < count; i += threads)
            sum += sum_of(load(from + i));
    }
    sum = warp_sum_by_shuffle(sum);
    if (threadIdx.x % 32 != 0)
        return;
    sums[thread / 32] = sum;
    if (thread / 32 < reports)
        cycles[thread / 32] = loads ? (u32)(took * FRACTION / loads) : 0;
}
