/* roofs - kernels that measure what a GPU can do at most: bytes through L2 and shared memory, multiply-adds. Each is
 * launched with ROOF_THREADS threads a block and enough blocks to fill the device. */
#include <cuda_fp16.h>
#include "wide.cuh"

#define ROOF_THREADS 1024 /* as in peaks.c */
#define CHAINS       8    /* independent multiply-adds of a thread: as in peaks.c */

/* Copy `bytes`, a multiple of 32, `rounds` times. */
extern "C" __global__ void __launch_bounds__(ROOF_THREADS)
    copy_words(const wide *in, wide *out, u64 bytes, u32 rounds)
{
    const u64 step = (u64)gridDim.x * ROOF_THREADS;
    for (u32 round = 0; round < rounds; round++)
        for (u64 i = (u64)blockIdx.x * ROOF_THREADS + threadIdx.x; i < bytes / WIDE_BYTES; i += step)
            store_wide(out + i, load_wide(in + i));
}

/* Write `bytes`, a multiple of 32, `rounds` times. */
extern "C" __global__ void __launch_bounds__(ROOF_THREADS) fill_words(wide *out, u64 bytes, u32 rounds)
{
    const u64 step = (u64)gridDim.x * ROOF_THREADS;
    for (u32 round = 0; round < rounds; round++)
        for (u64 i = (u64)blockIdx.x * ROOF_THREADS + threadIdx.x; i < bytes / WIDE_BYTES; i += step)
            store_wide(out + i, make_wide(round, (u32)i, 1, 2));
}

/* Each thread loads 16 bytes of shared memory, neighbours of neighbours, 16 times a round. */
extern "C" __global__ void __launch_bounds__(ROOF_THREADS) read_shared(u32 *out, u32 rounds)
{
    __shared__ uint4 words[ROOF_THREADS];
    u32 sum = 0;
    words[threadIdx.x] = make_uint4(threadIdx.x, rounds, 1, 2);
    __syncthreads();
    u32 at = (u32)__cvta_generic_to_shared(&words[threadIdx.x]);
    for (u32 round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < 16; i++) {
            uint4 a;
            asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(a.x), "=r"(a.y), "=r"(a.z), "=r"(a.w)
                         : "r"(at));
            sum ^= a.x ^ a.y ^ a.z ^ a.w;
        }
    }
    if (rounds == 0xffffffffu)
        *out = sum;
}

static __device__ __forceinline__ float fma_of(float a, float b, float c)
{
    return __fmaf_rn(a, b, c);
}
static __device__ __forceinline__ double fma_of(double a, double b, double c)
{
    return __fma_rn(a, b, c);
}
static __device__ __forceinline__ __half2 fma_of(__half2 a, __half2 b, __half2 c)
{
    return __hfma2(a, b, c);
}

/* `rounds` (a multiple of 16) times CHAINS multiply-adds a thread, each upon its own last result. */
template <typename T>
static __device__ __forceinline__ void multiply_add(T *out, u32 rounds, T factor, T addend)
{
    T chain[CHAINS];
#pragma unroll
    for (int i = 0; i < CHAINS; i++)
        chain[i] = addend;
    for (u32 round = 0; round < rounds; round += 16) {
#pragma unroll
        for (int step = 0; step < 16; step++)
#pragma unroll
            for (int i = 0; i < CHAINS; i++)
                chain[i] = fma_of(chain[i], factor, addend);
    }
#pragma unroll
    for (int i = 1; i < CHAINS; i++)
        chain[0] = fma_of(chain[i], factor, chain[0]);
    if (rounds == 0xfffffff0u)
        *out = chain[0];
}

extern "C" __global__ void __launch_bounds__(ROOF_THREADS) fma_f32(float *out, u32 rounds, float factor)
{
    multiply_add<float>(out, rounds, factor, factor);
}
extern "C" __global__ void __launch_bounds__(ROOF_THREADS) fma_f64(double *out, u32 rounds, float factor)
{
    multiply_add<double>(out, rounds, factor, factor);
}
extern "C" __global__ void __launch_bounds__(ROOF_THREADS) fma_f16(__half2 *out, u32 rounds, float factor)
{
    multiply_add<__half2>(out, rounds, __float2half2_rn(factor), __float2half2_rn(factor));
}
