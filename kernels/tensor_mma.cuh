/* tensor_mma.cuh - the variant mma of tensor_matmul, which includes it: operands in registers.
 *
 * Warps multiply 64 x 64 elements each. Slices come into the stages by cp.async of all threads, or by tensor copies that one thread orders. Operands go
 * through ldmatrix into registers, for mma of 16 x 8 elements and 32 bytes of the sum. One block for each tile. */
#ifndef KERNELS_TENSOR_MMA_CUH
#define KERNELS_TENSOR_MMA_CUH

enum { CHUNKS = ROW_BYTES / 16, CHUNK = 16 / ELEMENT_SIZE, THREADS = TILE_N, OWN = 64 };
enum { A_BYTES = TILE_M * ROW_BYTES, STAGE_BYTES = A_BYTES + TILE_N * ROW_BYTES };

/* Offset of a chunk of 16 bytes in a matrix in shared memory. */
static __device__ __forceinline__ u32 chunk_offset(u32 row, u32 chunk)
{
    return row * ROW_BYTES + (chunk ^ row % CHUNKS) * 16;
}

/* Slices on their way to the stages. `stage` is the address of the one that is multiplied; ahead() orders a part of a later slice
 * between its products; follow() goes on to the next stage, which it waits for, when this warp has loaded what it needs of this one. */
#ifdef copy_tma

#include "tensor_map.cuh"

typedef const tensor_map *operand;

/* Thread 0 orders the copies. full[s] completes when the bytes of stage s have arrived, empty[s] when all warps have read it: nothing
 * else holds the warps together. */
struct slices_ahead {
    operand a, b;
    u32 row, column, slices, shared, stage;
    turn now, next; /* of the stage that is read, and of that to write */

    __device__ __forceinline__ u32 full(u32 s) const { return shared + STAGES * STAGE_BYTES + 8 * s; }
    __device__ __forceinline__ u32 empty(u32 s) const { return full(STAGES + s); }
    __device__ __forceinline__ void load(u32 slice)
    {
        const u32 to = shared + next.stage * STAGE_BYTES, barrier = full(next.stage);
        barrier_wait(empty(next.stage), next.parity);
        barrier_expect(barrier, STAGE_BYTES);
        load_box(to, a, slice * SLICE, row, barrier);
        load_box(to + A_BYTES, b, slice * SLICE, column, barrier);
    }
    __device__ __forceinline__ slices_ahead(operand a, operand b, uint2 tile, u32, u32, u32 k, u32 shared)
        : a(a), b(b), row(tile.x * TILE_M), column(tile.y * TILE_N), slices((k + SLICE - 1) / SLICE),
          shared(shared), stage(shared), now{0, 0}, next{0, 1}
    {
        if (threadIdx.x == 0) {
            for (u32 s = 0; s < STAGES; s++) {
                barrier_init(full(s));
                barrier_init_for(empty(s), THREADS / 32);
            }
            asm volatile("fence.mbarrier_init.release.cluster;\n fence.proxy.async.shared::cta;" ::
                             : "memory");
            for (u32 s = 0; s < STAGES - 1 && s < slices; s++, next.advance())
                load(s);
        }
        next = {STAGES - 1, 1}; /* all stages are empty: the phase before the first one is complete */
        __syncthreads();
        barrier_wait(full(0), 0);
    }
    __device__ __forceinline__ void ahead(u32 slice, u32 step, u32 part)
    {
        if (step != 1 || part)
            return;
        if (threadIdx.x == 0 && slice + STAGES - 1 < slices)
            load(slice + STAGES - 1);
        next.advance();
    }
    __device__ __forceinline__ void follow(u32 slice)
    {
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            barrier_arrive<1>(empty(now.stage), 0);
        now.advance();
        stage = shared + now.stage * STAGE_BYTES;
        if (slice + 1 < slices)
            barrier_wait(full(now.stage), now.parity);
    }
    __device__ __forceinline__ void finish() const {}
};

#elif defined(copy_cp_async)

typedef const element *operand;

/* Each thread copies one chunk of each PASS-th row. Rows outside of a matrix are copies of its last one, which nobody stores; past the
 * end of a row, zeros come. */
struct slices_ahead {
    enum { PASS = THREADS / CHUNKS, COPIES = (TILE_M + TILE_N) / PASS, OF_A = TILE_M / PASS };
    enum {
        PORTION = (COPIES + 4 * STEPS - 5) / (4 * STEPS - 4)
    }; /* copies between the products of 16 rows */

    const element *from[COPIES];
    u32 to, columns, shared, stage, free; /* columns: from this thread's next chunk to the end of a row */

    __device__ __forceinline__ void load(u32 nth)
    {
        asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(free + to +
                                                                                    nth * PASS * ROW_BYTES),
                     "l"(from[nth]), "r"((int)columns > 0 ? 16 : 0)
                     : "memory");
        from[nth] += SLICE;
    }
    __device__ __forceinline__ void loaded()
    {
        asm volatile("cp.async.commit_group;" ::: "memory");
        columns -= SLICE;
        free = after(free);
    }
    __device__ __forceinline__ void wait_for_next() const
    {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
    }
    __device__ __forceinline__ u32 after(u32 of) const
    {
        return of == shared + (STAGES - 1) * STAGE_BYTES ? shared : of + STAGE_BYTES;
    }
    __device__ __forceinline__ slices_ahead(operand a, operand b, uint2 tile, u32 m, u32 n, u32 k, u32 shared)
        : to(chunk_offset(threadIdx.x / CHUNKS, threadIdx.x % CHUNKS)),
          columns(k - threadIdx.x % CHUNKS * CHUNK), shared(shared), stage(shared), free(shared)
    {
        const u32 row = threadIdx.x / CHUNKS, column = threadIdx.x % CHUNKS * CHUNK;
#pragma unroll
        for (u32 nth = 0; nth < COPIES; nth++) {
            const u32 of_a = tile.x * TILE_M + nth * PASS + row;
            const u32 of_b = tile.y * TILE_N + (nth - OF_A) * PASS + row;
            from[nth] = (nth < OF_A ? a + (u64)min(of_a, m - 1) * k : b + (u64)min(of_b, n - 1) * k) + column;
        }
#pragma unroll
        for (u32 s = 0; s < STAGES - 1; s++) {
#pragma unroll
            for (u32 nth = 0; nth < COPIES; nth++)
                load(nth);
            loaded();
        }
        wait_for_next();
    }
    __device__ __forceinline__ void ahead(u32, u32 step, u32 part)
    {
#pragma unroll
        for (u32 nth = (step * 4 + part) * PORTION; nth < (step * 4 + part + 1) * PORTION; nth++)
            if (step < STEPS - 1 && nth < COPIES)
                load(nth);
    }
    __device__ __forceinline__ void follow(u32)
    {
        loaded();
        wait_for_next();
        stage = after(stage);
    }
    __device__ __forceinline__ void finish() const
    {
        asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
};

#else
#error "no copy_... is defined"
#endif

static __device__ __forceinline__ void load_squares(u32 *to, u32 address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
}

/* 32 bytes of the 64 rows of A and B that a warp multiplies. */
struct operands {
    u32 a[OWN / 16][4], b[OWN / 16][4];
};

typedef accumulator sums[OWN / 16][OWN / 8][4];

/* The warp's 64 x 64 elements, by way of its own part of shared memory, C_COLUMNS at a time: a lane stores 16 bytes. */
static __device__ __forceinline__ void store(const sums &d, char *own, result *__restrict__ c, u32 row,
                                             u32 column, u32 m, u32 n)
{
    const u32 lane = threadIdx.x % 32;
#pragma unroll
    for (u32 part = 0; part < OWN / C_COLUMNS; part++) {
#pragma unroll
        for (u32 i = 0; i < OWN / 16; i++)
#pragma unroll
            for (u32 j = 0; j < C_COLUMNS / 8; j++)
#pragma unroll
                for (u32 half = 0; half < 2; half++)
                    *(pair *)(own + pair_offset(i * 16 + half * 8, j)) =
                        pair_of(&d[i][part * (C_COLUMNS / 8) + j][half * 2]);
        __syncwarp();
        const u32 at = column + part * C_COLUMNS + lane % 8 * (16 / C_SIZE);
#pragma unroll
        for (u32 r = lane / 8; r < OWN; r += 4)
            if (row + r < m && at < n)
                *(uint4 *)(c + (u64)(row + r) * n + at) =
                    *(const uint4 *)(own + r * ROW_BYTES + (lane % 8 ^ r % 8) * 16);
        if (OWN > C_COLUMNS)
            __syncwarp(); /* the next part takes its place */
    }
}

#ifdef copy_tma
#define OPERAND       const __grid_constant__ tensor_map
#define OPERAND_OF(x) (&(x))
#else
#define OPERAND       const element *__restrict__
#define OPERAND_OF(x) (x)
#endif

/* Rows start at multiples of 16 bytes. */
extern "C" __global__ void __launch_bounds__(THREADS)
    tensor_matmul(OPERAND a, OPERAND b, result *__restrict__ c, u32 m, u32 n, u32 k, u32 down, u32 across,
                  u32 group)
{
    extern __shared__ __align__(1024) char stages[];
    const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint2 tile = place_of(blockIdx.x, down, across, group);
    const u32 row = warp % 2 * OWN, column = warp / 2 * OWN; /* of the warp, in the tile */
    slices_ahead slices(OPERAND_OF(a), OPERAND_OF(b), tile, m, n, k, (u32)__cvta_generic_to_shared(stages));

    /* A: rows 0-7 and 8-15, then the next 16 bytes. B: both halves of the columns, then the next eight rows. */
    const u32 a_at = chunk_offset(row + lane % 16, lane / 16);
    const u32 b_at = A_BYTES + chunk_offset(column + lane / 16 * 8 + lane % 8, lane / 8 % 2);
    sums d = {};
    operands o[2];
    auto load_a = [&](u32 i, u32 step) {
        load_squares(o[step % 2].a[i], slices.stage + (a_at ^ step % STEPS * 32) + i * 16 * ROW_BYTES);
    };
    auto load_b = [&](u32 i, u32 step) {
        load_squares(o[step % 2].b[i], slices.stage + (b_at ^ step % STEPS * 32) + i * 16 * ROW_BYTES);
    };
#pragma unroll
    for (u32 i = 0; i < OWN / 16; i++)
        load_a(i, 0), load_b(i, 0);
#pragma unroll 1
    for (u32 slice = 0; slice * SLICE < k; slice++) {
#pragma unroll
        for (u32 step = 0; step < STEPS; step++) {
            /* The next operands and a later slice are loaded between the products of these. */
            if (step == STEPS - 1)
                slices.follow(slice);
#pragma unroll
            for (u32 i = 0; i < OWN / 16; i++) {
                if (i < 2)
                    load_b(2 * i, step + 1), load_b(2 * i + 1, step + 1), load_a(i, step + 1);
                else if (i == 2)
                    load_a(2, step + 1), load_a(3, step + 1);
                slices.ahead(slice, step, i);
#pragma unroll
                for (u32 j = 0; j < OWN / 8; j++)
                    mma(d[i][j], o[step % 2].a[i], &o[step % 2].b[j / 2][j % 2 * 2]);
            }
        }
    }
    slices.finish();
    __syncthreads(); /* stages are not read any more */
    store(d, stages + warp * OWN * 128, c, tile.x * TILE_M + row, tile.y * TILE_N + column, m, n);
}

#endif
