/* tensor_matmul - C = A B' on tensor cores: A is m x k, B is n x k, C is m x n, all row-major. The types of products and sums are in
 * mma.cuh.
 *
 * A block computes tiles of 128 x TILE_N elements of C. SLICE columns of A and B, 128 bytes of each row, are staged in shared memory
 * at a time, in STAGES buffers. The same bytes go the same way for every type.
 *
 *   mma    warps load the next stages by cp.async, and multiply 64 x 64 elements each: operands go through ldmatrix into
 *          registers, for mma of 16 x 8 elements and 32 bytes of the sum. One block for each tile
 *   wgmma  one warp loads the stages by bulk tensor copies; two groups of four warps multiply 64 x TILE_N elements each
 *          by wgmma, whose operands stay in shared memory. CLUSTER blocks with tiles below each other share B: each loads
 *          a part of it for all. Blocks are persistent; the results leave by bulk tensor stores, while the next tile is
 *          multiplied
 *          With SPARSE, half of the elements of A are zeros that are not stored: a slice of A has 64 bytes of each row, and
 *          metadata that name the places of its elements
 *   tcgen05  tensor_tcgen05.cuh: as wgmma, but sums lie in tensor memory, and two blocks may multiply together
 *
 * Rows in shared memory are as long as a slice. Their 16-byte chunks are swizzled, so that eight chunks of one column lie
 * in eight different places modulo 128 bytes: of eight neighbouring rows, no two lie in the same banks. */
#include "mma.cuh"
#include "tile_order.cuh"

#if defined(tile_shape_128x128)
#define TILE_N 128
#elif defined(tile_shape_128x256)
#define TILE_N 256
#else
#error "no tile_shape_... is defined"
#endif
#ifndef STAGES
#error "STAGES is not defined"
#endif
#ifndef CLUSTER
#error "CLUSTER is not defined"
#endif
#ifndef PROMOTE
#error "PROMOTE is not defined"
#endif
#if defined(sparse_on)
#define SPARSE 1
#elif defined(sparse_off)
#define SPARSE 0
#else
#error "no sparse_... is defined"
#endif
#if SPARSE && !defined(variant_wgmma)
#error "only wgmma has sparse products"
#endif

/* Elements of C, and two neighbours in a row as they are stored. Those of 2 bytes are of the type of A and B; of fp8 they are bf16. */
#if defined(dtype_c_f32) || defined(DTYPE_f32) || defined(DTYPE_u8)
#define C_BITS 32
typedef uint2 pair;
static __device__ __forceinline__ pair pair_of(const accumulator *d)
{
    return make_uint2(*(const u32 *)&d[0], *(const u32 *)&d[1]);
}
#elif defined(dtype_c_default)
#define C_BITS 16
typedef u32 pair;
#ifdef DTYPE_f16
#include <cuda_fp16.h>
static __device__ __forceinline__ pair pair_of(const accumulator *d)
{
    const __half2_raw raw = __floats2half2_rn(d[0], d[1]);
    return (u32)raw.x | (u32)raw.y << 16;
}
#else
#include <cuda_bf16.h>
static __device__ __forceinline__ pair pair_of(const accumulator *d)
{
    const __nv_bfloat162_raw raw = __floats2bfloat162_rn(d[0], d[1]);
    return (u32)raw.x | (u32)raw.y << 16;
}
#endif
#else
#error "no dtype_c_... is defined"
#endif

enum { TILE_M = 128, ROW_BYTES = 128, SLICE = ROW_BYTES / ELEMENT_SIZE, STEPS = 4 >> SPARSE };
typedef bytes_of<ELEMENT_SIZE> element;

/* Results pass through shared memory in rows of 128 swizzled bytes. */
enum { C_SIZE = C_BITS / 8, C_COLUMNS = ROW_BYTES / C_SIZE };
typedef bytes_of<C_SIZE> result;

/* Stages in turn, and the parity of the phase of their barriers. */
struct turn {
    u32 stage, parity;
    __device__ __forceinline__ void advance()
    {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
};

#if defined(variant_mma) || (defined(variant_wgmma) && C_BITS == 32)
/* Where a lane's pair of eight rows and the `eighth`-th eight columns goes: lane l holds columns 2 (l mod 4) and the next of row
 * l / 4. */
static __device__ __forceinline__ u32 pair_offset(u32 first_row, u32 eighth)
{
    const u32 lane = threadIdx.x % 32, low = lane / 4;
    const u32 chunk = eighth * (C_SIZE / 2) + (C_SIZE == 4 ? lane % 4 / 2 : 0);
    return (first_row + low) * ROW_BYTES + (chunk ^ low) * 16 + lane % (C_SIZE == 4 ? 2 : 4) * (2 * C_SIZE);
}
#endif

#ifdef variant_mma

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

#elif defined(variant_wgmma) || defined(variant_tcgen05)

#include "tensor_map.cuh"

#if CLUSTER > 1
#define IN_CLUSTERS __cluster_dims__(CLUSTER, 1, 1)
#else
#define IN_CLUSTERS
#endif

/* The tiles of the matrix, those of a cluster counted as one, and the block's rank in its cluster. */
struct tiles_of_all {
    u32 rank, tiles, down, across, group, slices;
    /* Row of the block's tile of A and column of C, in elements. */
    __device__ __forceinline__ uint2 place(u32 tile) const
    {
        const uint2 at = place_of(tile, down, across, group);
        return make_uint2((at.x * CLUSTER + rank) * TILE_M, at.y * TILE_N);
    }
};

#ifdef variant_tcgen05
#include "tensor_tcgen05.cuh"
#else

#define WGMMA_N TILE_N
#include "wgmma.cuh"

enum { GROUP = 128, CONSUMERS = 2, THREADS = GROUP * (1 + CONSUMERS), ROWS = 64, HELD = TILE_N / 2 };
enum { A_ROW_BYTES = ROW_BYTES >> SPARSE, A_BYTES = TILE_M * A_ROW_BYTES, B_BYTES = TILE_N * ROW_BYTES };

/* Metadata of a slice: a word for each thread that multiplies, of types of one byte two. */
enum { WORDS = SPARSE * (ELEMENT_SIZE == 1 ? 2 : 1), METADATA_BYTES = CONSUMERS * GROUP * 4 * WORDS };
enum { STAGE_BYTES = A_BYTES + B_BYTES + METADATA_BYTES };

/* Results leave in boxes of 16 rows of a warp and 128 bytes. A warp has as many of them as fit beside the stages. */
enum { BOXES = TILE_N / C_COLUMNS, BOX_BYTES = 16 * ROW_BYTES, SHARED_BYTES = 227 * 1024 - 2048 };
enum { FITTING = (SHARED_BYTES - STAGES * STAGE_BYTES) / (CONSUMERS * 4 * BOX_BYTES) };
enum { SLOTS = FITTING < BOXES ? FITTING : BOXES };

/* Registers of a thread, of the 65536 that THREADS threads share: loading needs few. */
#define REGISTERS_LOADING     "40"
#define REGISTERS_MULTIPLYING "232"

/* What all threads know. The barriers of stage s: full[s] completes when its bytes have arrived; empty[s] when all warps that
 * multiply in the cluster have read the stage, because each block writes into all blocks. */
struct work : tiles_of_all {
    u32 stages, boxes, full, empty;
};

/* One thread. Metadata lie in memory as in shared memory, slice after slice of each tile of A. */
static __device__ __forceinline__ void load_all(const work &w, const tensor_map *a, const tensor_map *b,
                                                const char *metadata)
{
    turn t = {0, 1}; /* all stages are empty: the phase before the first one is complete */
    const u32 part = TILE_N / CLUSTER * w.rank;
    for (u32 tile = blockIdx.x / CLUSTER; tile < w.tiles; tile += gridDim.x / CLUSTER) {
        const uint2 at = w.place(tile);
        for (u32 slice = 0; slice < w.slices; slice++, t.advance()) {
            const u32 stage = w.stages + t.stage * STAGE_BYTES, full = w.full + 8 * t.stage;
            barrier_wait(w.empty + 8 * t.stage, t.parity);
            barrier_expect(full, STAGE_BYTES);
            load_box(stage, a, slice * SLICE >> SPARSE, at.x, full);
            if (SPARSE)
                bulk_copy(stage + A_BYTES + B_BYTES,
                          metadata + ((u64)(at.x / TILE_M) * w.slices + slice) * METADATA_BYTES,
                          METADATA_BYTES, full);
            load_box_for_all<CLUSTER>(stage + A_BYTES + part * ROW_BYTES, b, slice * SLICE, at.y + part,
                                      full);
        }
    }
}

/* A matrix in shared memory in rows of 128 or 64 swizzled bytes: address, distance of groups of eight rows, in units of 16
 * bytes, and swizzle (PTX ISA, "Matrix Descriptor Format"). Its address may be advanced by 32 bytes inside of a row. */
template <u32 BYTES> static __device__ __forceinline__ u64 descriptor_of(u32 address)
{
    return (u64)(address >> 4) | 1ull << 16 | (u64)(8 * BYTES / 16) << 32 |
           (BYTES == 128 ? 1ull : 2ull) << 62;
}

#if SPARSE
/* The threads that hold the metadata of types of 16 and more bits: the first two of each four for an even step, the others for an odd one.
 * Of types of one byte all do, and each step has its own word. */
template <u32 STEP>
static __device__ __forceinline__ void multiply(accumulator *d, u64 a, u64 b, u32 add, const u32 *metadata)
{
    asm volatile("{.reg .pred add; setp.ne.b32 add, " WGMMA_OF_N(
                     FLAG_SP_WORD_) ", 0;\n"
                                    "wgmma.mma_async.sp.sync.aligned.m64n" WGMMA_TEXT(TILE_N) DEPTH_SPARSE
                 "." TYPES " {" WGMMA_OF_N(TEXT_) "}, " WGMMA_OF_N(AFTER_SP_SS_) ", " WGMMA_OF_N(
                     SELECTOR_) ", add" WGMMA_SIGNS_SS ";}"
                 : WGMMA_OF_N(REGISTERS_)(d, 0)
                 : "l"(a), "l"(b), "r"(metadata[WORDS == 2 ? STEP : 0]), "r"(add),
                   "n"(WORDS == 2 ? 0 : STEP));
}
#else
static __device__ __forceinline__ void multiply(accumulator *d, u64 a, u64 b, u32 add)
{
    asm volatile("{.reg .pred add; setp.ne.b32 add, " WGMMA_OF_N(
                     FLAG_) ", 0;\n"
                            "wgmma.mma_async.sync.aligned.m64n" WGMMA_TEXT(TILE_N) DEPTH
                 "." TYPES " {" WGMMA_OF_N(TEXT_) "}, " WGMMA_OF_N(AFTER_SS_) ", add" WGMMA_SIGNS_SS ";}"
                 : WGMMA_OF_N(REGISTERS_)(d, 0)
                 : "l"(a), "l"(b), "r"(add));
}
#endif

/* A thread's words of metadata for a slice. */
struct metadata_words {
    u32 word[SPARSE ? WORDS : 1];
};

/* The products of a slice, when it has arrived. Metadata are in registers before the first one starts. */
static __device__ __forceinline__ void multiply_slice(const work &w, const turn &t, u32 first_row, u32 add,
                                                      accumulator *d, metadata_words &metadata)
{
    const u32 stage = w.stages + t.stage * STAGE_BYTES;
    const u64 a = descriptor_of<A_ROW_BYTES>(stage + first_row * A_ROW_BYTES),
              b = descriptor_of<ROW_BYTES>(stage + A_BYTES);
    barrier_wait(w.full + 8 * t.stage, t.parity);
#if SPARSE
    const u32 own = stage + A_BYTES + B_BYTES + (threadIdx.x - GROUP) * 4 * WORDS;
#pragma unroll
    for (u32 i = 0; i < WORDS; i++)
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(metadata.word[i]) : "r"(own + 4 * i) : "memory");
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    multiply<0>(d, a, b, add, metadata.word);
    multiply<1>(d, a + 2, b + 4, 1, metadata.word); /* 32 bytes of A are of as many elements as 64 of B */
#else
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (u32 step = 0; step < STEPS; step++)
        multiply(d, a + 2 * step, b + 2 * step, add | step);
#endif
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int LEFT> static __device__ __forceinline__ void wait_products()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

/* This warp has read a stage: tell all blocks of the cluster. */
static __device__ __forceinline__ void release(const work &w, u32 stage)
{
    if (threadIdx.x % 32 < CLUSTER)
        barrier_arrive<CLUSTER>(w.empty + 8 * stage, threadIdx.x % 32);
}

/* The sum over the next `slices` slices. A stage is released when the products of the next one have started. A single stage is
 * released when its own are done: nothing is loaded while it is multiplied. Products of a slice may run until those of the next one have
 * started, and their metadata stay in registers until then: slices take turns with two sets of them. */
static __device__ __forceinline__ void multiply_slices(const work &w, turn &t, u32 first_row, u32 slices,
                                                       accumulator *d)
{
    u32 before = 0;
    metadata_words even = {}, odd = {};
    auto multiply_next = [&](u32 slice, metadata_words &own, const metadata_words &running) {
        multiply_slice(w, t, first_row, slice, d, own);
        wait_products<STAGES == 1 ? 0 : 1>();
#if SPARSE
#pragma unroll
        for (u32 i = 0; i < WORDS; i++)
            asm volatile("" ::"r"(running.word[i]));
#endif
        if (STAGES == 1)
            release(w, t.stage);
        else if (slice)
            release(w, before);
        before = t.stage;
        t.advance();
    };
#pragma unroll 1
    for (u32 slice = 0; slice < slices; slice++) {
        multiply_next(slice, even, odd);
#if SPARSE
        if (++slice == slices)
            break;
        multiply_next(slice, odd, even);
#endif
    }
    wait_products<0>();
    if (STAGES > 1)
        release(w, before);
}

/* The group's part of a tile. With PROMOTE, sums over so many slices are added up by the multiprocessor's f32 adders: sums of fp8
 * inside of wgmma keep fewer bits. */
static __device__ __forceinline__ void multiply_tile(const work &w, turn &t, u32 first_row, accumulator *d)
{
#if PROMOTE == 0
    multiply_slices(w, t, first_row, w.slices, d);
#else
    accumulator part[HELD];
#pragma unroll
    for (u32 i = 0; i < HELD; i++)
        d[i] = 0;
#pragma unroll 1
    for (u32 done = 0; done < w.slices; done += PROMOTE) {
        multiply_slices(w, t, first_row, min(w.slices - done, (u32)PROMOTE), part);
#pragma unroll
        for (u32 i = 0; i < HELD; i++) {
            asm volatile(
                ""
                : REGISTER(
                    part[i])::"memory"); /* after the wait: the compiler knows of no asynchronous writes */
            d[i] += part[i];
        }
    }
#endif
}

/* 16 rows and C_COLUMNS columns of the warp into its box. */
static __device__ __forceinline__ void fill_box(const accumulator *from, u32 to)
{
#if C_BITS == 16
    const u32 lane = threadIdx.x % 32;
#pragma unroll
    for (u32 chunk = 0; chunk < 8; chunk += 2)
        /* Rows 0-7 and 8-15 of eight columns, and of the next eight; a lane has the address of a row of one of them. */
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                         to + lane % 16 * ROW_BYTES + ((chunk + lane / 16) ^ lane % 8) * 16),
                     "r"(pair_of(from + chunk * 4)), "r"(pair_of(from + chunk * 4 + 2)),
                     "r"(pair_of(from + chunk * 4 + 4)), "r"(pair_of(from + chunk * 4 + 6))
                     : "memory");
#else
#pragma unroll
    for (u32 i = 0; i < C_COLUMNS / 8 * 2; i++) {
        const pair two = pair_of(from + i * 2);
        asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(to + pair_offset(i % 2 * 8, i / 2)), "r"(two.x),
                     "r"(two.y)
                     : "memory");
    }
#endif
}

/* The warp's 16 x TILE_N elements. Its stores of the tile before have read their boxes when the boxes are written again. */
static __device__ __forceinline__ void store_tile(const accumulator *d, u32 boxes, const tensor_map *c,
                                                  u32 column, u32 row)
{
    const bool first = threadIdx.x % 32 == 0;
#pragma unroll
    for (u32 box = 0; box < BOXES; box++) {
        const u32 to = boxes + box % SLOTS * BOX_BYTES;
        if (first)
            wait_stores_read<SLOTS - 1>();
        __syncwarp();
        fill_box(d + box * (C_COLUMNS / 2), to);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); /* the store reads what was written */
        __syncwarp();
        if (first)
            store_box(to, c, column + box * C_COLUMNS, row);
    }
}

static __device__ __forceinline__ void multiply_all(const work &w, const tensor_map *c)
{
    turn t = {0, 0};
    const u32 warp = threadIdx.x / 32 - 4, first_row = warp / 4 * ROWS;
    for (u32 tile = blockIdx.x / CLUSTER; tile < w.tiles; tile += gridDim.x / CLUSTER) {
        accumulator d[HELD];
        const uint2 at = w.place(tile);
        multiply_tile(w, t, first_row, d);
        store_tile(d, w.boxes + warp * SLOTS * BOX_BYTES, c, at.y, at.x + warp * 16);
    }
    wait_stores_read<0>(); /* before shared memory goes */
}

#if SPARSE
#define METADATA , const char *__restrict__ metadata
#else
#define METADATA
#endif

/* `down` and `across`: tiles of clusters. Elements past the edges of the matrices are loaded as zeros, and not stored. */
extern "C" __global__ void __launch_bounds__(THREADS, 1) IN_CLUSTERS
    tensor_matmul(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b,
                  const __grid_constant__ tensor_map c, u32 k, u32 down, u32 across, u32 group METADATA)
{
    extern __shared__ __align__(1024) char shared[]; /* the swizzle uses bits of the address */
#if !SPARSE
    const char *const metadata = nullptr;
#endif
    const u32 stages = shared_address(shared), boxes = stages + STAGES * STAGE_BYTES;
    const u32 full = boxes + SLOTS * CONSUMERS * 4 * BOX_BYTES, empty = full + 8 * STAGES;
    const work w = {{rank_in_cluster<CLUSTER>(), down * across, down, across, group, (k + SLICE - 1) / SLICE},
                    stages,
                    boxes,
                    full,
                    empty};
    if (threadIdx.x == 0) {
        for (u32 s = 0; s < STAGES; s++) {
            barrier_init(full + 8 * s);
            barrier_init_for(empty + 8 * s, CLUSTER * CONSUMERS * 4);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    if (threadIdx.x == 32) {
        prefetch_map(&a);
        prefetch_map(&b);
        prefetch_map(&c);
    }
    sync_cluster<CLUSTER>();
    if (threadIdx.x < GROUP) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 " REGISTERS_LOADING ";");
        if (threadIdx.x == 0)
            load_all(w, &a, &b, metadata);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 " REGISTERS_MULTIPLYING ";");
        multiply_all(w, &c);
    }
    sync_cluster<CLUSTER>(); /* other blocks may still write here, or arrive at our barriers */
}

#endif

#else
#error "no variant_... is defined"
#endif
