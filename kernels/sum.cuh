/* sum.cuh - sums over a warp, a block and a grid: included by NAME.cu as "sum.cuh". */
#ifndef KERNELS_SUM_CUH
#define KERNELS_SUM_CUH

#include "device.cuh"

/* The sum over the warp, in lane 0, by a tree in registers. */
template <typename number> static __device__ __forceinline__ number warp_sum_by_shuffle(number value)
{
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(0xffffffff, value, distance);
    return value;
}

/* The sum over the block, in thread 0: `warp_sum` sums each warp in lane 0, and shared memory combines the
 * warps. */
template <typename number, number warp_sum(number)> static __device__ number block_sum_by_warps(number value)
{
    __shared__ number sums[BLOCK / 32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    value = warp_sum(value);
    if (lane == 0)
        sums[warp] = value;
    __syncthreads();
    if (warp == 0)
        value = warp_sum(lane < BLOCK / 32 ? sums[lane] : 0);
    return value;
}

/* Publish the value of the block's thread 0 in `partial`. True in the last block to do so, which sees the
 * values of all blocks. The counter `done` is zero before and after a launch: it wraps at the last block. */
template <typename number>
static __device__ __forceinline__ bool publishes_last(number value, number *partial, u32 *done)
{
    __shared__ u32 is_last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = value;
        __threadfence();
        is_last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last)
        return false;
    __threadfence();
    return true;
}

#endif
