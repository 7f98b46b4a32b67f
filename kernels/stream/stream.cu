/* stream - the loops of STREAM and BabelStream, for comparison with their numbers.
 *
 *   copy    c = a                      two arrays
 *   mul     b = 0.4 c                  two arrays
 *   add     c = a + b                  three arrays
 *   triad   a = b + 0.4 c              three arrays, by one fused multiply-add
 *   dot     the sum of a b             two arrays, both read
 *
 * Each thread makes ITEMS accesses of VECTOR elements to each array, a block's width apart, with all loads
 * before the first store. The grid covers the arrays once. For `dot` only resident blocks loop over the
 * arrays, and the last block to finish adds their sums. */
#include "device.cuh"
#include "sum.cuh"

#ifndef ELEMENT_SIZE
#error "ELEMENT_SIZE (axis dtype) is not defined"
#endif
#ifndef VECTOR
#error "VECTOR is not defined"
#endif
#ifndef ITEMS
#error "ITEMS is not defined"
#endif
#ifndef BLOCK
#error "BLOCK is not defined"
#endif

typedef ELEMENT number;
struct __align__(VECTOR *ELEMENT_SIZE) access
{
    number part[VECTOR];
};

[[maybe_unused]] static __device__ __forceinline__ float multiply_add(float x, float y, float z)
{
    return __fmaf_rn(x, y, z);
}
[[maybe_unused]] static __device__ __forceinline__ double multiply_add(double x, double y, double z)
{
    return __fma_rn(x, y, z);
}

constexpr number SCALAR = (number)0.4;

#if defined(variant_dot)

/* The sum over the block, in thread 0. */
static __device__ number block_sum(number value)
{
    return block_sum_by_warps<number, warp_sum_by_shuffle<number>>(value);
}

static __device__ __forceinline__ void add(number (&sum)[VECTOR], const access &x, const access &y)
{
#pragma unroll
    for (int i = 0; i < VECTOR; i++)
        sum[i] = multiply_add(x.part[i], y.part[i], sum[i]);
}

/* `done` counts finished blocks; it is zero before and after a launch. */
extern "C" __global__ void __launch_bounds__(BLOCK, 1024 / BLOCK)
    stream(const access *__restrict__ a, const access *__restrict__ b, number *__restrict__ out, u64 accesses,
           number *partial, u32 *done)
{
    number sum[VECTOR] = {};
    const u64 tile = BLOCK * ITEMS;
#pragma unroll 1
    for (u64 first = blockIdx.x * tile; first < accesses; first += gridDim.x * tile) {
        const access *x = a + first + threadIdx.x, *y = b + first + threadIdx.x;
        if (first + tile <= accesses) {
            access left[ITEMS], right[ITEMS];
#pragma unroll
            for (int i = 0; i < ITEMS; i++) {
                left[i] = x[i * BLOCK];
                right[i] = y[i * BLOCK];
            }
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                add(sum, left[i], right[i]);
        } else { /* the last tile */
#pragma unroll 1
            for (u32 i = threadIdx.x; i < (u32)(accesses - first); i += BLOCK) {
                const access left = a[first + i], right = b[first + i];
                add(sum, left, right);
            }
        }
    }
    number total = 0;
#pragma unroll
    for (int i = 0; i < VECTOR; i++)
        total += sum[i];
    total = block_sum(total);
    if (!publishes_last(total, partial, done))
        return;
    total = 0;
#pragma unroll 1
    for (u32 i = threadIdx.x; i < gridDim.x; i += BLOCK)
        total += __ldcg(partial + i);
    total = block_sum(total);
    if (threadIdx.x == 0)
        *out = total;
}

#else

#if defined(variant_copy)
#define COMBINE(x, y) (x)
enum { INPUTS = 1 };
#elif defined(variant_mul)
#define COMBINE(x, y) (SCALAR * (x))
enum { INPUTS = 1 };
#elif defined(variant_add)
#define COMBINE(x, y) ((x) + (y))
enum { INPUTS = 2 };
#elif defined(variant_triad)
#define COMBINE(x, y) multiply_add(SCALAR, y, x)
enum { INPUTS = 2 };
#else
#error "no variant_... is defined"
#endif

static __device__ __forceinline__ access combine(const access &x, [[maybe_unused]] const access &y)
{
    access out;
#pragma unroll
    for (int i = 0; i < VECTOR; i++)
        out.part[i] = COMBINE(x.part[i], y.part[i]);
    return out;
}

/* With one input `b` is `a`. */
template <typename count>
static __device__ __forceinline__ void run(const access *__restrict__ a, const access *__restrict__ b,
                                           access *__restrict__ out, count accesses)
{
    const count first = (count)blockIdx.x * (BLOCK * ITEMS) + threadIdx.x;
    /* A branch for the whole block: a divergent warp would issue its requests twice. */
    if (ITEMS == 1 ? first < accesses : first - threadIdx.x + ITEMS * BLOCK <= accesses) {
        access x[ITEMS], y[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            x[i] = a[first + i * BLOCK];
            if (INPUTS == 2)
                y[i] = b[first + i * BLOCK];
        }
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            out[first + i * BLOCK] = combine(x[i], INPUTS == 2 ? y[i] : x[i]);
    } else if (ITEMS > 1) { /* the last block */
#pragma unroll 1
        for (count k = first; k < accesses; k += BLOCK) {
            const access x = a[k], y = b[k];
            out[k] = combine(x, y);
        }
    }
}

/* 32-bit indices, for arrays that allow it. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    stream(const access *__restrict__ a, const access *__restrict__ b, access *__restrict__ out, u32 accesses)
{
    run<u32>(a, b, out, accesses);
}
extern "C" __global__ void __launch_bounds__(BLOCK)
    stream_large(const access *__restrict__ a, const access *__restrict__ b, access *__restrict__ out,
                 u64 accesses)
{
    run<u64>(a, b, out, accesses);
}
#endif
