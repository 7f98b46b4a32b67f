/* row.cuh - a block computes a row: accesses of 16 bytes, and the whole row in registers, so that it is read
 * once.
 *
 * Macros: ELEMENT (type), COLUMNS, THREADS. Rows are multiples of 16 bytes and begin at multiples of 16
 * bytes. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math_constants.h>

using T = ELEMENT;
constexpr int WIDTH = 16 / sizeof(T), VECTORS = COLUMNS / WIDTH, STEPS = (VECTORS + THREADS - 1) / THREADS;

/* Whether access s of this thread is within the row. */
__device__ inline bool within(int s)
{
    return VECTORS % THREADS == 0 || s * THREADS + threadIdx.x < VECTORS;
}

/* Elements of this thread: access s is vector s * THREADS + threadIdx.x. */
struct Row {
    float at[STEPS][WIDTH];
};

__device__ inline Row load(const T *from, float beyond = 0)
{
    uint4 raw[STEPS];
    Row row;
#pragma unroll
    for (int s = 0; s < STEPS; s++)
        if (within(s))
            raw[s] = reinterpret_cast<const uint4 *>(from)[s * THREADS + threadIdx.x];
#pragma unroll
    for (int s = 0; s < STEPS; s++)
        for (int i = 0; i < WIDTH; i++)
            row.at[s][i] = within(s) ? float(reinterpret_cast<const T *>(&raw[s])[i]) : beyond;
    return row;
}

/* What load takes from row blockIdx.x. */
__device__ inline Row load_row(const T *array, float beyond = 0)
{
    return load(array + static_cast<size_t>(blockIdx.x) * COLUMNS, beyond);
}

template <class Do> __device__ void for_each(Do act)
{
#pragma unroll
    for (int e = 0; e < STEPS * WIDTH; e++)
        act(e / WIDTH, e % WIDTH);
}

/* Store value(s, i) in place of every element (s, i). */
template <class Value> __device__ void store_row(T *array, Value value)
{
    uint4 *to = reinterpret_cast<uint4 *>(array + static_cast<size_t>(blockIdx.x) * COLUMNS);
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        uint4 raw;
#pragma unroll
        for (int i = 0; i < WIDTH; i++)
            reinterpret_cast<T *>(&raw)[i] = T(value(s, i));
        if (within(s))
            to[s * THREADS + threadIdx.x] = raw;
    }
}

/* Combine value(s, i) of all elements of the row. At most one call for each type Combine in a kernel: it owns
 * shared memory. */
template <class Combine, class Value> __device__ float reduce(Combine combine, Value value)
{
    constexpr int WARPS = THREADS / 32;
    float all = value(0, 0);
#pragma unroll
    for (int e = 1; e < STEPS * WIDTH; e++)
        all = combine(all, value(e / WIDTH, e % WIDTH));
    for (int apart = 16; apart; apart /= 2)
        all = combine(all, __shfl_xor_sync(~0u, all, apart));
    if (WARPS == 1)
        return all;
    alignas(16) __shared__ float part[WARPS];
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = all;
    __syncthreads();
    all = part[0];
#pragma unroll
    for (int warp = 1; warp < WARPS; warp++)
        all = combine(all, part[warp]);
    return all;
}

struct Sum {
    __device__ float operator()(float a, float b) { return a + b; }
};

struct Max {
    __device__ float operator()(float a, float b) { return fmaxf(a, b); }
};
