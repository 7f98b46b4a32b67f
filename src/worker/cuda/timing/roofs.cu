/* roofs - kernels that measure what a GPU can do at most: bytes through DRAM, L2 and shared memory,
 * multiply-adds. Those that take `rounds` are launched with ROOF_THREADS threads a block and enough blocks to
 * fill the device. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "wide.cuh"

#define ROOF_THREADS 1024  /* as in peaks.c */
#define CHAINS       8     /* independent multiply-adds of a thread: as in peaks.c */
#define TILE_THREADS 512   /* as in peaks.c */
#define TILE_BYTES   32768 /* as in peaks.c */
#define TILE_WORDS   (TILE_BYTES / TILE_THREADS / WIDE_BYTES) /* of a thread */

/* DRAM in tiles: a block moves one tile, and the device starts the next block where one ended. The kernels of
 * support.cu fill the device once and step over everything. Which is faster depends on the chip and on the
 * direction. */
static __device__ __forceinline__ u64 tile_first()
{
    return (u64)blockIdx.x * (TILE_THREADS * TILE_WORDS) + threadIdx.x;
}

extern "C" __global__ void __launch_bounds__(TILE_THREADS) read_tiles(wide *in, u32 never)
{
    wide word[TILE_WORDS];
    u32 sum = 0;
#pragma unroll
    for (int i = 0; i < TILE_WORDS; i++)
        word[i] = load_wide(in + tile_first() + i * TILE_THREADS);
#pragma unroll
    for (int i = 0; i < TILE_WORDS; i++)
        sum += sum_wide(word[i]);
    if (never == 0xffffffffu) /* the compiler would drop the loads otherwise */
        *(u32 *)in = sum;
}

extern "C" __global__ void __launch_bounds__(TILE_THREADS) write_tiles(wide *out, u32 value)
{
#pragma unroll
    for (int i = 0; i < TILE_WORDS; i++)
        store_wide(out + tile_first() + i * TILE_THREADS,
                   make_wide(value, value ^ threadIdx.x, value + 1, 2));
}

extern "C" __global__ void __launch_bounds__(TILE_THREADS) copy_tiles(const wide *in, wide *out)
{
    wide word[TILE_WORDS];
#pragma unroll
    for (int i = 0; i < TILE_WORDS; i++)
        word[i] = load_wide(in + tile_first() + i * TILE_THREADS);
#pragma unroll
    for (int i = 0; i < TILE_WORDS; i++)
        store_wide(out + tile_first() + i * TILE_THREADS, word[i]);
}

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
static __device__ __forceinline__ __nv_bfloat162 fma_of(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
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
#pragma unroll 1
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

/* sm_80 to sm_90 have two pipes for pairs of halves, HFMA2 and HFMA2.MMA, and the compiler alternates between
 * them. Only HFMA2 takes one half for both (`R0.H0_H0`), so the halves of an operand must differ: with equal
 * ones all instructions go to one pipe and the roof is half of what the chip does. All results stay near 1:
 * finite, and never subnormal. */
extern "C" __global__ void __launch_bounds__(ROOF_THREADS) fma_f16(__half2 *out, u32 rounds, float factor)
{
    const __half2 pair = __floats2half2_rn(factor, 0.75f * factor);
    multiply_add<__half2>(out, rounds, pair, __floats2half2_rn(1 - factor, factor));
}
extern "C" __global__ void __launch_bounds__(ROOF_THREADS)
    fma_bf16(__nv_bfloat162 *out, u32 rounds, float factor)
{
    const __nv_bfloat162 pair = __floats2bfloat162_rn(factor, 0.75f * factor);
    multiply_add<__nv_bfloat162>(out, rounds, pair, __floats2bfloat162_rn(1 - factor, factor));
}
