/* product - C = A B' in f64 of rows of floats: the reference of products (worker/product.h), which checks it.
 * Not tuned: a tile of 64 x 64 by four warps, slices of 16 columns, each warp 32 x 32 by mma.m8n8k4. Compute
 * capability 8.0 or later. */
#include "device.cuh"

enum { TILE = 64, SLICE = 16, PITCH = SLICE + 4 /* no bank conflicts */, THREADS = 128, PARTS = 4 };

/* PTX ISA, "Matrix fragments for mma.m8n8k4 with .f64": lane l has A[l / 4][l % 4], B[l % 4][l / 4], and C[l
 * / 4][l % 4 * 2 + 0 and 1]. */
#ifdef __CUDACC_RTC__
static __device__ void multiply(double (&c)[2], double a, double b)
{
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(c[0]), "+d"(c[1])
        : "d"(a), "d"(b));
}
#endif

/* A thread's pieces of a slice: four floats of each of two rows of A, then of B. */
static __device__ void fetch(float4 (&pieces)[PARTS], const float *a, const float *b, u64 a_row, u64 a_rows,
                             u64 b_row, u64 b_rows, u64 pitch, u64 column)
{
    for (u32 i = 0; i < PARTS; i++) {
        const u32 piece = threadIdx.x + i % 2 * THREADS;
        const u64 row = (i < 2 ? a_row : b_row) + piece / 4, rows = i < 2 ? a_rows : b_rows;
        const float *from = i < 2 ? a : b;
        pieces[i] = *(const float4 *)(from + (row < rows ? row : rows - 1) * pitch + column + piece % 4 * 4);
    }
}

/* Rows of A, of B, and floats of each, a multiple of SLICE; C is `a_rows` x `b_rows`. */
extern "C" __global__ void __launch_bounds__(THREADS)
    product(const float *a, const float *b, double *c, u64 a_rows, u64 b_rows, u64 pitch)
{
    __shared__ double left[TILE][PITCH], right[TILE][PITCH];
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const u32 down = warp / 2 * 32 + lane / 4, across = warp % 2 * 32 + lane / 4;
    const u64 a_row = (u64)blockIdx.y * TILE, b_row = (u64)blockIdx.x * TILE;
    float4 pieces[PARTS];
    double sum[4][4][2] = {};
    fetch(pieces, a, b, a_row, a_rows, b_row, b_rows, pitch, 0);
    for (u64 column = 0; column < pitch; column += SLICE) {
        __syncthreads();
#pragma unroll
        for (u32 i = 0; i < PARTS; i++) {
            const u32 piece = threadIdx.x + i % 2 * THREADS;
            double *to = (i < 2 ? left : right)[piece / 4] + piece % 4 * 4;
            to[0] = pieces[i].x;
            to[1] = pieces[i].y;
            to[2] = pieces[i].z;
            to[3] = pieces[i].w;
        }
        __syncthreads();
        if (column + SLICE < pitch)
            fetch(pieces, a, b, a_row, a_rows, b_row, b_rows, pitch, column + SLICE);
#pragma unroll
        for (u32 step = 0; step < SLICE; step += 4) {
            double l[4], r[4];
#pragma unroll
            for (u32 i = 0; i < 4; i++) {
                l[i] = left[down + i * 8][step + lane % 4];
                r[i] = right[across + i * 8][step + lane % 4];
            }
#pragma unroll
            for (u32 i = 0; i < 16; i++)
                multiply(sum[i / 4][i % 4], l[i / 4], r[i % 4]);
        }
    }
    for (u32 i = 0; i < 32; i++) {
        const u64 row = a_row + down + i / 8 * 8;
        const u64 to = b_row + warp % 2 * 32 + i / 2 % 4 * 8 + lane % 4 * 2 + i % 2;
        if (row < a_rows && to < b_rows)
            c[row * b_rows + to] = sum[i / 8][i / 2 % 4][i % 2];
    }
}
