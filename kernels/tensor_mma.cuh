/* tensor_mma.cuh - the variant mma of tensor_matmul, which includes it: operands in registers.
 *
 * Warps multiply 64 x 64 elements each. Slices come into the stages by cp.async of all threads, or by tensor
 * copies that one thread orders. Operands go through ldmatrix into registers, for mma of 16 x 8 elements and
 * 32 bytes of the sum. One block for each tile.
 *
 * With SPARSE, a product has 32 bytes of A, which stand for 64 bytes of the sum, and 64 bytes of B. */
#ifndef KERNELS_TENSOR_MMA_CUH
#define KERNELS_TENSOR_MMA_CUH

enum { CHUNK = 16 / ELEMENT_SIZE, THREADS = TILE_N, OWN = 64 };
enum { METADATA_AT = A_BYTES + TILE_N * ROW_BYTES, STAGE_BYTES = METADATA_AT + METADATA_BYTES };

/* A slice is multiplied in four phases, whose operands take as many registers: dense ones have a step of all
 * columns, sparse ones, whose step has 64 bytes of each column, half of the columns. */
enum { PHASES = 4 };

/* Offset of a chunk of 16 bytes in a matrix in shared memory whose rows have 128 or 64 bytes, swizzled as
 * tensor copies do it. */
template <u32 BYTES> static __device__ __forceinline__ u32 chunk_offset(u32 row, u32 chunk)
{
    return row * BYTES + (chunk ^ row * BYTES / ROW_BYTES % (BYTES / 16)) * 16;
}

/* Slices on their way to the stages. `stage` is the address of the one that is multiplied; ahead() orders a
 * part of a later slice between its products; follow() goes on to the next stage, which it waits for, when
 * this warp has loaded what it needs of this one. */
#ifdef copy_tma

#include "tensor_map.cuh"

typedef const tensor_map *operand;

/* Thread 0 orders the copies. full[s] completes when the bytes of stage s have arrived, empty[s] when all
 * warps have read it: nothing else holds the warps together. */
struct slices_ahead {
    operand a, b;
    const char *metadata; /* of this tile of A */
    u32 row, column, slices, shared, stage;
    turn now, next; /* of the stage that is read, and of that to write */

    __device__ __forceinline__ u32 full(u32 s) const { return shared + STAGES * STAGE_BYTES + 8 * s; }
    __device__ __forceinline__ u32 empty(u32 s) const { return full(STAGES + s); }
    __device__ __forceinline__ void load(u32 slice)
    {
        const u32 to = shared + next.stage * STAGE_BYTES, barrier = full(next.stage);
        barrier_wait(empty(next.stage), next.parity);
        barrier_expect(barrier, STAGE_BYTES);
        load_box(to, a, slice * SLICE >> SPARSE, row, barrier);
        load_box(to + A_BYTES, b, slice * SLICE, column, barrier);
        if (SPARSE)
            bulk_copy(to + METADATA_AT, metadata + (u64)slice * METADATA_BYTES, METADATA_BYTES, barrier);
    }
    __device__ __forceinline__ slices_ahead(operand a, operand b, const char *metadata, uint2 tile, u32, u32,
                                            u32 k, u32 shared)
        : a(a), b(b), metadata(metadata), row(tile.x * TILE_M), column(tile.y * TILE_N),
          slices((k + SLICE - 1) / SLICE), shared(shared), stage(shared), now{0, 0}, next{0, 1}
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
    __device__ __forceinline__ void ahead(u32 slice, u32 phase, u32 part)
    {
        if (phase != 1 || part)
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

/* Each thread copies one chunk of each A_PASS-th row of A and B_PASS-th of B, and some threads one of
 * metadata. Rows outside of a matrix are copies of its last one, which nobody stores; past the end of a row,
 * zeros come. */
struct slices_ahead {
    enum { A_CHUNKS = A_ROW_BYTES / 16, B_CHUNKS = ROW_BYTES / 16 };
    enum { A_PASS = THREADS / A_CHUNKS, B_PASS = THREADS / B_CHUNKS };
    enum { OF_A = TILE_M / A_PASS, OF_A_AND_B = OF_A + TILE_N / B_PASS, COPIES = OF_A_AND_B + SPARSE };
    enum {
        PORTION = (COPIES + 4 * PHASES - 5) / (4 * PHASES - 4)
    }; /* copies between the products of 16 rows */

    const char *from[COPIES];
    u32 to_a, to_b, shared, stage, free;
    u32 columns_a, columns_b; /* as they are stored: from this thread's next chunk to the end of a row */

    static __device__ __forceinline__ void copy(u32 to, const char *from, bool exists)
    {
        asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                     "r"(exists ? 16 : 0)
                     : "memory");
    }
    __device__ __forceinline__ void load(u32 nth)
    {
        if (nth < OF_A) {
            copy(free + to_a + nth * A_PASS * A_ROW_BYTES, from[nth],
                 (int)(SPARSE ? columns_a : columns_b) > 0);
            from[nth] += A_ROW_BYTES;
        } else if (nth < OF_A_AND_B) {
            copy(free + A_BYTES + to_b + (nth - OF_A) * B_PASS * ROW_BYTES, from[nth], (int)columns_b > 0);
            from[nth] += ROW_BYTES;
        } else {
            if (threadIdx.x < METADATA_BYTES / 16)
                copy(free + METADATA_AT + threadIdx.x * 16, from[nth],
                     (int)(columns_b + threadIdx.x % B_CHUNKS * CHUNK) > 0);
            from[nth] += METADATA_BYTES;
        }
    }
    __device__ __forceinline__ void loaded()
    {
        asm volatile("cp.async.commit_group;" ::: "memory");
        columns_a -= SLICE >> SPARSE;
        columns_b -= SLICE;
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
    __device__ __forceinline__ slices_ahead(operand a, operand b, const char *metadata, uint2 tile, u32 m,
                                            u32 n, u32 k, u32 shared)
        : to_a(chunk_offset<A_ROW_BYTES>(threadIdx.x / A_CHUNKS, threadIdx.x % A_CHUNKS)),
          to_b(chunk_offset<ROW_BYTES>(threadIdx.x / B_CHUNKS, threadIdx.x % B_CHUNKS)), shared(shared),
          stage(shared), free(shared), columns_a((k >> SPARSE) - threadIdx.x % A_CHUNKS * CHUNK),
          columns_b(k - threadIdx.x % B_CHUNKS * CHUNK)
    {
#pragma unroll
        for (u32 nth = 0; nth < COPIES; nth++) {
            const u32 of_a = tile.x * TILE_M + nth * A_PASS + threadIdx.x / A_CHUNKS;
            const u32 of_b = tile.y * TILE_N + (nth - OF_A) * B_PASS + threadIdx.x / B_CHUNKS;
            if (nth < OF_A)
                from[nth] = (const char *)(a + (u64)min(of_a, m - 1) * (k >> SPARSE) +
                                           threadIdx.x % A_CHUNKS * CHUNK);
            else if (nth < OF_A_AND_B)
                from[nth] = (const char *)(b + (u64)min(of_b, n - 1) * k + threadIdx.x % B_CHUNKS * CHUNK);
            else
                from[nth] = metadata + threadIdx.x * 16;
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
    __device__ __forceinline__ void ahead(u32, u32 phase, u32 part)
    {
#pragma unroll
        for (u32 nth = (phase * 4 + part) * PORTION; nth < (phase * 4 + part + 1) * PORTION; nth++)
            if (phase < PHASES - 1 && nth < COPIES)
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

typedef accumulator sums[OWN / 16][OWN / 8][4];

/* Of the 64 rows of A that a warp multiplies, 32 bytes of two steps; of its rows of B, what two phases
 * multiply. */
struct operands {
    u32 a[2][OWN / 16][4], b[2][OWN / 16][4], a_at, b_at;

    /* Of A: rows 0-7 and 8-15, then the next 16 bytes. Of B: both halves of the columns, then the next eight
     * rows; sparse: all four quarters of the columns of eight rows. */
    __device__ __forceinline__ operands(u32 row, u32 column)
    {
        const u32 lane = threadIdx.x % 32;
        a_at = chunk_offset<A_ROW_BYTES>(row + lane % 16, lane / 16);
        b_at = A_BYTES + (SPARSE ? chunk_offset<ROW_BYTES>(column + lane % 8, lane / 8)
                                 : chunk_offset<ROW_BYTES>(column + lane / 16 * 8 + lane % 8, lane / 8 % 2));
    }
    __device__ __forceinline__ void load_a(u32 stage, u32 i, u32 step)
    {
        load_squares(a[step % 2][i], stage + (a_at ^ step % STEPS * 32) + i * 16 * A_ROW_BYTES);
    }
    __device__ __forceinline__ void load_b(u32 stage, u32 i, u32 phase)
    {
        const u32 to = phase % 2;
        if (SPARSE)
            load_squares(b[to][i],
                         stage + (b_at ^ phase / 2 % STEPS * 64) + (phase % 2 * 4 + i) * 8 * ROW_BYTES);
        else
            load_squares(b[to][i], stage + (b_at ^ phase % STEPS * 32) + i * 16 * ROW_BYTES);
    }
};

#if SPARSE
/* 16 rows of A times the phase's eighths of the warp's columns. */
static __device__ __forceinline__ void multiply(sums &d, const operands &o, u32 i, u32 phase,
                                                const metadata_words &metadata)
{
    const u32 step = phase / 2;
#pragma unroll
    for (u32 j = 0; j < OWN / 16; j++) {
        accumulator *to = d[i][phase % 2 * (OWN / 16) + j];
        if (WORDS == 2)
            mma_sparse<0>(to, o.a[step % 2][i], o.b[phase % 2][j], metadata.word[step % WORDS]);
        else if (step == 0)
            mma_sparse<0>(to, o.a[0][i], o.b[phase % 2][j], metadata.word[0]);
        else
            mma_sparse<1>(to, o.a[1][i], o.b[phase % 2][j], metadata.word[0]);
    }
}

/* The lane's words for 16 rows of the slice in a stage. */
static __device__ __forceinline__ metadata_words load_metadata(u32 stage, u32 row)
{
    const u32 at = stage + METADATA_AT + (row / 16 * 32 + threadIdx.x % 32) * 4 * WORDS;
    metadata_words own;
#if ELEMENT_SIZE == 1
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                 : "=r"(own.word[0]), "=r"(own.word[1])
                 : "r"(at)
                 : "memory");
#else
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(own.word[0]) : "r"(at) : "memory");
#endif
    return own;
}
#else
static __device__ __forceinline__ void multiply(sums &d, const operands &o, u32 i, u32 phase,
                                                const metadata_words &)
{
#pragma unroll
    for (u32 j = 0; j < OWN / 8; j++)
        mma(d[i][j], o.a[phase % 2][i], &o.b[phase % 2][j / 2][j % 2 * 2]);
}
static __device__ __forceinline__ metadata_words load_metadata(u32, u32)
{
    return {};
}
#endif

/* The warp's 64 x 64 elements, by way of its own part of shared memory, C_COLUMNS at a time: a lane stores 16
 * bytes. */
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
                  u32 group METADATA)
{
    extern __shared__ __align__(1024) char stages[];
    const u32 warp = threadIdx.x / 32;
    const uint2 tile = place_of(blockIdx.x, down, across, group);
#if SPARSE
    const char *const of_tile = metadata + (u64)tile.x * ((k + SLICE - 1) / SLICE) * METADATA_BYTES;
#else
    const char *const of_tile = nullptr;
#endif
    const u32 row = warp % 2 * OWN, column = warp / 2 * OWN; /* of the warp, in the tile */
    slices_ahead slices(OPERAND_OF(a), OPERAND_OF(b), of_tile, tile, m, n, k,
                        (u32)__cvta_generic_to_shared(stages));

    sums d = {};
    operands o(row, column);
    metadata_words now[OWN / 16], next[OWN / 16];
#pragma unroll
    for (u32 i = 0; i < OWN / 16; i++) {
        o.load_a(slices.stage, i, 0);
        o.load_b(slices.stage, i, 0);
        now[i] = load_metadata(slices.stage, row + i * 16);
    }
#pragma unroll 1
    for (u32 slice = 0; slice * SLICE < k; slice++) {
#pragma unroll
        for (u32 phase = 0; phase < PHASES; phase++) {
            const bool last = phase == PHASES - 1, other_a = !SPARSE || phase % 2;
            const u32 step = (phase + 1) >> SPARSE; /* of the next phase */
            /* The next operands and a later slice are loaded between the products of these. */
            if (last)
                slices.follow(slice);
#pragma unroll
            for (u32 i = 0; i < OWN / 16; i++) {
                if (i < 2)
                    o.load_b(slices.stage, 2 * i, phase + 1), o.load_b(slices.stage, 2 * i + 1, phase + 1);
                if (other_a && i < 2)
                    o.load_a(slices.stage, i, step);
                else if (other_a && i == 2)
                    o.load_a(slices.stage, 2, step), o.load_a(slices.stage, 3, step);
                if (last)
                    next[i] = load_metadata(slices.stage, row + i * 16);
                slices.ahead(slice, phase, i);
                multiply(d, o, i, phase, now[i]);
            }
        }
#pragma unroll
        for (u32 i = 0; i < OWN / 16; i++)
            now[i] = next[i];
    }
    slices.finish();
    __syncthreads(); /* stages are not read any more */
    store(d, stages + warp * OWN * 128, c, tile.x * TILE_M + row, tile.y * TILE_N + column, m, n);
}

#endif
