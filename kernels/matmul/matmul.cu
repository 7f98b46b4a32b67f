/* matmul - C = A B in f32: m x k times k x n, row-major. From naive to tiled data are reused in shared
 * memory; `register` also reuses them in registers, and comes close to the vendor's library without tensor
 * cores.
 *
 *   naive     a thread computes one element of C, and reads a row of A and a column of B from global memory:
 *             two loads per multiplication
 *   tiled     a block of TILE x TILE threads loads tiles of A and B into shared memory, and uses each element
 *             TILE times: global traffic falls by a factor of TILE, and shared memory becomes the bottleneck
 *   register  a block computes BLOCK_TILE x BLOCK_TILE elements of C, a thread OUTPUTS x OUTPUTS of them in
 *             registers: per step of k it reads 2 OUTPUTS words from shared memory for OUTPUTS^2
 *             multiplications. Accesses have 16 bytes if the addresses allow it. SLICE columns of A (rows of
 *             B) are staged at a time, in two buffers: while one is multiplied, the next slice is loaded from
 *             global memory into registers
 *   cp_async  warps compute 64 x 64 elements, a thread 8 x 16. STAGES slices of A and B are in shared memory;
 *             asynchronous copies bring them there without registers
 *   tma       the same, but bulk tensor copies bring them, ordered by one thread, and warps wait for bytes
 *             instead of for each other */
#include "device.cuh"

#ifndef TILE
#error "TILE is not defined"
#endif
#ifndef BLOCK_TILE
#error "BLOCK_TILE is not defined"
#endif
#ifndef OUTPUTS
#error "OUTPUTS is not defined"
#endif
#ifndef SLICE
#error "SLICE is not defined"
#endif
#ifndef STAGES
#error "STAGES is not defined"
#endif
#if !defined(tile_shape_128x128) && !defined(tile_shape_256x128) && !defined(tile_shape_128x256) &&          \
    !defined(tile_shape_128x64)
#error "no tile_shape_... is defined"
#endif

#if defined(variant_naive)

enum { ACROSS = 32, DOWN = 8 };

/* A warp computes 32 neighbours of a row of C: it reads one word of A for all lanes, and 32 neighbouring
 * words of B. */
extern "C" __global__ void __launch_bounds__(ACROSS *DOWN)
    matmul(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, u32 m, u32 n,
           u32 k)
{
    const u32 across = (n + ACROSS - 1) / ACROSS;
    const u32 row = blockIdx.x / across * DOWN + threadIdx.x / ACROSS;
    const u32 column = blockIdx.x % across * ACROSS + threadIdx.x % ACROSS;
    if (row >= m || column >= n)
        return;
    const float *left = a + (u64)row * k, *right = b + column;
    float sum = 0;
    for (u32 i = 0; i < k; i++, right += n)
        sum += left[i] * *right;
    c[(u64)row * n + column] = sum;
}

#elif defined(variant_tiled)

extern "C" __global__ void __launch_bounds__(TILE *TILE)
    matmul(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, u32 m, u32 n,
           u32 k)
{
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    const u32 x = threadIdx.x % TILE, y = threadIdx.x / TILE, across = (n + TILE - 1) / TILE;
    const u32 row = blockIdx.x / across * TILE + y, column = blockIdx.x % across * TILE + x;
    float sum = 0;
    for (u32 step = 0; step < k; step += TILE) {
        left[y][x] = row < m && step + x < k ? a[(u64)row * k + step + x] : 0;
        right[y][x] = step + y < k && column < n ? b[(u64)(step + y) * n + column] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += left[y][i] * right[i][x];
        __syncthreads();
    }
    if (row < m && column < n)
        c[(u64)row * n + column] = sum;
}

#elif defined(variant_register)

/* A warp is 8 threads high and 4 wide. A thread has OUTPUTS rows and columns, in PARTS of WIDTH
 * neighbours. */
enum { THREADS = (BLOCK_TILE / OUTPUTS) * (BLOCK_TILE / OUTPUTS) };
enum { WIDTH = OUTPUTS < 4 ? OUTPUTS : 4, PARTS = OUTPUTS / WIDTH };
enum { WARP_ROWS = 8 * OUTPUTS, WARP_COLUMNS = 4 * OUTPUTS, WARPS_ACROSS = BLOCK_TILE / WARP_COLUMNS };
/* Minimum blocks per multiprocessor, which limits the registers per thread: to 128 for 8 x 8 outputs (168 in
 * blocks of two warps, which load more per thread), to 64 for fewer outputs. */
enum { RESIDENT_LARGE = THREADS == 64 ? 6 : 512 / THREADS };
enum { RESIDENT = OUTPUTS < 8 ? 1024 / THREADS : RESIDENT_LARGE };

/* A slice of A is stored transposed, so that the rows of a thread are neighbours. With this pitch the words
 * that the lanes scatter fall into different banks (SLICE 8), or two into each bank (SLICE 16). */
enum { PITCH = BLOCK_TILE + 4 };
struct slice {
    float a[SLICE][PITCH];
    float b[SLICE][BLOCK_TILE];
};

/* 16-byte pieces per slice of A, and as many per slice of B; each thread loads EACH of them. */
enum { PIECES = BLOCK_TILE * SLICE / 4, EACH = (PIECES + THREADS - 1) / THREADS };
enum { A_PIECES = SLICE / 4, B_PIECES = BLOCK_TILE / 4 }; /* per row of the slice of A and of B */

/* Unrolled steps of k. For 10.x the compiler of CUDA 13.0 would hoist the loads of a whole slice, and spill
 * registers. */
#if __CUDA_ARCH__ >= 1000 && __CUDA_ARCH__ < 1100
enum { STEPS = OUTPUTS < 8 || THREADS == 64 ? SLICE : 2 };
#else
enum { STEPS = SLICE };
#endif

template <int N> struct __align__(4 * N) floats
{
    float part[N];
};

/* Load four neighbours, of which `left` exist; the others are zero. VECTOR: all or none exist, and they are
 * aligned. */
template <bool VECTOR> static __device__ __forceinline__ float4 fetch4(const float *from, int left)
{
    float4 value = make_float4(0, 0, 0, 0);
    if (VECTOR) {
        if (left > 0)
            value = *(const float4 *)from;
    } else {
        if (left > 0)
            value.x = from[0];
        if (left > 1)
            value.y = from[1];
        if (left > 2)
            value.z = from[2];
        if (left > 3)
            value.w = from[3];
    }
    return value;
}

/* Order of blocks: down GROUP block rows, then on to the next block column, so that blocks that run at the
 * same time share rows of A and columns of B in L2. */
enum { GROUP = 8 };

/* Position of a block and of a thread. Computed again by each caller (`volatile`), so that values needed only
 * at the end of the kernel do not occupy registers in the main loop. */
struct place {
    u32 row0, column0; /* of the block, in C */
    u32 row, column;   /* of the thread, in the block */
};
static __device__ __forceinline__ place find_place(u32 m, u32 n)
{
    u32 block, thread;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    const u32 down = (m + BLOCK_TILE - 1) / BLOCK_TILE, across = (n + BLOCK_TILE - 1) / BLOCK_TILE;
    const u32 band = block / (GROUP * across), within = block % (GROUP * across);
    const u32 height = min((u32)GROUP, down - band * GROUP);
    /* Lanes are numbered so that lanes i and i ^ 1 read the same words of A, and i and i ^ 2 the same of B:
     * the hardware then serves half a warp's 16-byte reads in one wavefront. */
    const u32 lane = thread % 32, warp = thread / 32;
    const u32 x = (lane & 1) | (lane >> 1 & 2), y = (lane >> 1 & 1) | (lane >> 2 & 6);
    place p;
    p.row0 = (band * GROUP + within % height) * BLOCK_TILE;
    p.column0 = within / height * BLOCK_TILE;
    p.row = warp / WARPS_ACROSS * WARP_ROWS + y * WIDTH;
    p.column = warp % WARPS_ACROSS * WARP_COLUMNS + x * WIDTH;
    return p;
}

template <bool VECTOR>
static __device__ __forceinline__ void multiply(slice *shared, const float *__restrict__ a,
                                                const float *__restrict__ b, float *__restrict__ c, u32 m,
                                                u32 n, u32 k)
{
    const place first = find_place(m, n);
    /* Addresses of this thread's pieces of the next slice. Rows past the end of A and pieces past the end of
     * B's rows are replaced by the last ones; their results are not stored. */
    const float *from_a[EACH], *from_b[EACH];
    int left = (int)k; /* columns of A, rows of B */
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const u32 piece = threadIdx.x + e * THREADS;
        const u32 row = min(first.row0 + piece / A_PIECES, m - 1);
        const u32 column = first.column0 + piece % B_PIECES * 4;
        from_a[e] = a + (u64)row * k + piece % A_PIECES * 4;
        from_b[e] = b + (u64)(piece / B_PIECES) * n + (VECTOR ? min(column, n - 4) : column);
    }
    float4 next_a[EACH], next_b[EACH];
    auto fetch = [&] {
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const int piece = threadIdx.x + e * THREADS;
            if (PIECES % THREADS != 0 && piece >= PIECES)
                break;
            const int columns_left = VECTOR ? 4 : (int)(n - first.column0) - piece % B_PIECES * 4;
            next_a[e] = fetch4<VECTOR>(from_a[e], left - piece % A_PIECES * 4);
            next_b[e] = fetch4<VECTOR>(from_b[e], piece / B_PIECES < left ? columns_left : 0);
            from_a[e] += SLICE;
            from_b[e] += (u64)SLICE * n;
        }
        left -= SLICE;
    };
    auto put = [&](slice &to) {
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const u32 piece = threadIdx.x + e * THREADS;
            if (PIECES % THREADS != 0 && piece >= PIECES)
                break;
            float *column = &to.a[piece % A_PIECES * 4][piece / A_PIECES];
            column[0 * PITCH] = next_a[e].x;
            column[1 * PITCH] = next_a[e].y;
            column[2 * PITCH] = next_a[e].z;
            column[3 * PITCH] = next_a[e].w;
            *(float4 *)&to.b[piece / B_PIECES][piece % B_PIECES * 4] = next_b[e];
        }
    };

    float sum[OUTPUTS][OUTPUTS] = {};

    fetch();
    put(shared[0]);
    __syncthreads();
    const u32 slices = (k + SLICE - 1) / SLICE;
    for (u32 s = 0; s < slices; s++) {
        const slice &now = shared[s % 2];
        if (s + 1 < slices)
            fetch();
#pragma unroll STEPS
        for (int i = 0; i < SLICE; i++) {
            floats<WIDTH> left[PARTS], right[PARTS];
#pragma unroll
            for (int p = 0; p < PARTS; p++) {
                left[p] = *(const floats<WIDTH> *)&now.a[i][first.row + p * 8 * WIDTH];
                right[p] = *(const floats<WIDTH> *)&now.b[i][first.column + p * 4 * WIDTH];
            }
#pragma unroll
            for (int r = 0; r < OUTPUTS; r++)
#pragma unroll
                for (int q = 0; q < OUTPUTS; q++)
                    sum[r][q] += left[r / WIDTH].part[r % WIDTH] * right[q / WIDTH].part[q % WIDTH];
        }
        if (s + 1 < slices) {
            put(shared[(s + 1) % 2]); /* free since the barrier of the previous round */
            __syncthreads();
        }
    }

    const place last = find_place(m, n);
#pragma unroll
    for (int r = 0; r < OUTPUTS; r++) {
        const u32 row = last.row0 + last.row + r / WIDTH * 8 * WIDTH + r % WIDTH;
#pragma unroll
        for (int p = 0; p < PARTS; p++) {
            const u32 column = last.column0 + last.column + p * 4 * WIDTH;
            float *to = c + (u64)row * n + column;
            floats<WIDTH> value;
#pragma unroll
            for (int q = 0; q < WIDTH; q++)
                value.part[q] = sum[r][p * WIDTH + q];
            if (VECTOR) {
                if (row < m && column < n)
                    *(floats<WIDTH> *)to = value;
            } else {
#pragma unroll
                for (int q = 0; q < WIDTH; q++)
                    if (row < m && column + q < n)
                        to[q] = value.part[q];
            }
        }
    }
}

/* For k and n that are multiples of 4: every row starts at a multiple of 16 bytes. */
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
    matmul_aligned(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, u32 m,
                   u32 n, u32 k)
{
    __shared__ __align__(16) slice shared[2];
    multiply<true>(shared, a, b, c, m, n, k);
}

/* For all other k and n: global accesses of single words instead of 16 bytes. */
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
    matmul(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, u32 m, u32 n,
           u32 k)
{
    __shared__ __align__(16) slice shared[2];
    multiply<false>(shared, a, b, c, m, n, k);
}

#elif defined(variant_cp_async) || defined(variant_tma)

#if defined(tile_shape_128x128)
enum { TILE_ROWS = 128, TILE_COLUMNS = 128 };
#elif defined(tile_shape_256x128)
enum { TILE_ROWS = 256, TILE_COLUMNS = 128 };
#elif defined(tile_shape_128x256)
enum { TILE_ROWS = 128, TILE_COLUMNS = 256 };
#elif defined(tile_shape_128x64)
enum { TILE_ROWS = 128, TILE_COLUMNS = 64 };
#endif

#include "pipeline.cuh" /* matmul and matmul_shared */

#else
#error "no variant_... is defined"
#endif
