/* pipeline.cuh - C = A B in f32 by the multiplication units of f32 (FFMA): slices of A and B come by
 * asynchronous copies, STAGES of them in shared memory. Included by matmul.cu as "pipeline.cuh", whose macros
 * and constants it reads:
 *
 *   TILE_ROWS, TILE_COLUMNS  rows and columns of C of a block: multiples of 64
 *   SLICE                    columns of A and rows of B in a stage: 8, 16 or 32
 *   variant_tma              bulk tensor copies, ordered by one thread; without it, cp.async by all threads
 *
 * Bound: a multiprocessor of 9.0 issues 4 instructions in a cycle, and an FFMA of a warp takes one of these
 * places. So every other instruction of the main loop costs a product. With 8 x 16 elements of C, a thread
 * reads 24 words in 6 instructions for 128 products.
 *
 * A lies in shared memory as in global memory, row by row: a thread reads four neighbours along k of each of
 * its rows, 16 bytes, for four steps of k. Each row's chunks of 16 bytes are swizzled as tensor copies do it,
 * so that those of eight neighbouring rows lie in different banks. B lies row by row, too: a thread reads 16
 * bytes along n in each step.
 *
 * Registers: A's four steps are replaced in place, each row after its last product; B's next step is read
 * before the products of this one. Both arrive many products before they are used. */
#ifndef KERNELS_PIPELINE_CUH
#define KERNELS_PIPELINE_CUH

#include "tile_order.cuh"
#include "tile_shares.cuh"

/* A warp is 8 threads high and 4 wide. */
enum { THREAD_ROWS = 8, THREAD_COLUMNS = 16, WARP_ROWS = 8 * THREAD_ROWS, WARP_COLUMNS = 4 * THREAD_COLUMNS };
enum { WARPS_ACROSS = TILE_COLUMNS / WARP_COLUMNS, WARPS = TILE_ROWS / WARP_ROWS * WARPS_ACROSS };
enum { THREADS = 32 * WARPS, PARTS = THREAD_COLUMNS / 4 }; /* parts: of four neighbours, 16 columns apart */

/* Minimum blocks per multiprocessor: all registers for 256 threads, two warps in each of its quarters. */
enum { RESIDENT = 256 / THREADS };

/* In bytes. A stage starts at a multiple of 1024, as the swizzle needs. */
enum { ROW_A = 4 * SLICE, ROW_B = 4 * TILE_COLUMNS, A_BYTES = TILE_ROWS * ROW_A };
enum { STAGE_BYTES = A_BYTES + SLICE * ROW_B };
enum { CHUNKS = ROW_A / 16 };

extern __shared__ __align__(1024) char stages[];
static __device__ __forceinline__ u32 address_of_stages()
{
    return (u32)__cvta_generic_to_shared(stages);
}

/* Offset of a chunk of a row of A in a stage: bits 4 to 6 of the address, as many as number the chunks of a
 * row, are changed by bits 7 to 9 (PTX ISA, "Swizzling modes"). The same 8 rows further on. */
static __device__ __forceinline__ u32 chunk_offset(u32 row, u32 chunk)
{
    return row * ROW_A + (chunk ^ row * ROW_A / 128 % CHUNKS) * 16;
}

/* What all blocks know. */
struct product {
    u32 m, n, k, down, across, group;
    tile_shares shares; /* of a block for each tile, `slices` only */
    /* Row and column of a tile in C, in elements. */
    __device__ __forceinline__ uint2 place(u32 tile) const
    {
        const uint2 at = place_of(tile, down, across, group);
        return make_uint2(at.x * TILE_ROWS, at.y * TILE_COLUMNS);
    }
};

/* Stages in turn, and the parity of the phase of their barriers. */
struct turn {
    u32 stage, parity;
    __device__ __forceinline__ void advance()
    {
        parity ^= stage == STAGES - 1;
        stage = stage == STAGES - 1 ? 0 : stage + 1;
    }
    __device__ __forceinline__ u32 before() const { return stage ? stage - 1 : STAGES - 1; }
};

/* This block's part in the last wave, and the first helper of its tile. They are worked out before the main
 * loop, whose registers a division would take. */
static __shared__ struct {
    tile_part part;
    u32 helper;
} last;

/* A slice is copied in PORTIONS, between the products of as many steps. */
enum { PORTIONS = 2 };

#ifdef variant_tma

#include "tensor_map.cuh"

typedef const tensor_map *operand;
enum { BARRIERS_BYTES = 16 * STAGES };

/* The part that thread 0 copies. */
static __shared__ tile_part copied;

/* Thread 0 orders the copies. Barriers of stage s: full[s] completes when its bytes have arrived, empty[s]
 * when all warps have read it. Nothing else holds the warps of a block together. */
template <bool SEVERAL> struct loader {
    operand a, b;
    u32 shared, row, column, parity; /* parity: of the phase in which the next stage is read */
    u32 slice, end;                  /* copied next, and the end of the part */

    __device__ __forceinline__ u32 full(u32 stage) const { return shared + STAGES * STAGE_BYTES + 8 * stage; }
    __device__ __forceinline__ u32 empty(u32 stage) const { return full(STAGES + stage); }
    __device__ __forceinline__ loader(operand a, operand b, const product &p, tile_part first)
        : a(a), b(b), shared(address_of_stages()), parity(1), slice(first.slice), end(first.end)
    {
        /* All stages are empty: the phase before the first one, of parity 1, is complete. */
        if (threadIdx.x == 0) {
            for (u32 s = 0; s < STAGES; s++) {
                barrier_init_for(full(s), 1);
                barrier_init_for(empty(s), WARPS);
            }
            if (SEVERAL)
                copied = first;
            asm volatile("fence.mbarrier_init.release.cluster;\n fence.proxy.async.shared::cta;" ::
                             : "memory");
        }
        __syncthreads();
        go_to(p, first.tile);
    }
    __device__ __forceinline__ void go_to(const product &p, u32 tile)
    {
        const uint2 at = p.place(tile);
        row = at.x;
        column = at.y;
    }
    __device__ __forceinline__ void copy(const product &p, u32 stage, int portion)
    {
        if (portion || threadIdx.x || slice == end)
            return;
        const u32 to = shared + stage * STAGE_BYTES, barrier = full(stage);
        barrier_wait(empty(stage), parity);
        barrier_expect(barrier, STAGE_BYTES);
        load_box(to, a, slice * SLICE, row, barrier);
        load_box(to + A_BYTES, b, column, slice * SLICE, barrier);
        parity ^= stage == STAGES - 1;
        if (++slice != end || !SEVERAL)
            return;
        copied = tile_shares_next(&p.shares, copied, &last.part);
        slice = copied.slice;
        end = copied.end;
        if (slice != end)
            go_to(p, copied.tile);
    }
    __device__ __forceinline__ void wait(turn t, bool exists)
    {
        if (exists)
            barrier_wait(full(t.stage), t.parity);
    }
    __device__ __forceinline__ void wait_first() { barrier_wait(full(0), 0); }
    __device__ __forceinline__ void release(u32 stage)
    {
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            barrier_arrive<1>(empty(stage), 0);
    }
};

#else

typedef const float *operand;
enum { BARRIERS_BYTES = 0 };

/* Each thread copies chunks of 16 bytes: one of each PASS-th row. Outside of the matrices, zeros come. */
template <bool SEVERAL> struct loader {
    enum { PASS_A = THREADS / CHUNKS, COPIES_A = TILE_ROWS / PASS_A };
    enum { CHUNKS_B = TILE_COLUMNS / 4, PASS_B = THREADS / CHUNKS_B, COPIES_B = SLICE / PASS_B };
    static_assert(PASS_A % 8 == 0 && PASS_B > 0, "rows of a pass lie alike in shared memory");

    const float *a, *b, *from_a, *from_b;
    u32 to;      /* this thread's first chunk of A in a stage; its first of B is the threadIdx.x-th of all */
    int rows;    /* of A, from this thread's first on */
    int steps_b; /* rows of B from this thread's first on; 0 where its columns do not exist */
    tile_part part;

    __device__ __forceinline__ loader(operand a, operand b, const product &p, tile_part first)
        : a(a), b(b), to(address_of_stages() + chunk_offset(threadIdx.x / CHUNKS, threadIdx.x % CHUNKS)),
          part(first)
    {
        go_to(p);
    }
    __device__ __forceinline__ void go_to(const product &p)
    {
        const uint2 at = p.place(part.tile);
        const u32 row = at.x + threadIdx.x / CHUNKS, column = at.y + threadIdx.x % CHUNKS_B * 4;
        from_a = a + (u64)row * p.k + threadIdx.x % CHUNKS * 4 + part.slice * SLICE;
        from_b = b + (u64)(threadIdx.x / CHUNKS_B + part.slice * SLICE) * p.n + column;
        rows = (int)(p.m - row);
        steps_b = column < p.n ? (int)(p.k - threadIdx.x / CHUNKS_B) : 0;
    }
    static __device__ __forceinline__ void chunk(u32 to, const float *from, bool exists)
    {
        asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                     "r"(exists ? 16 : 0)
                     : "memory");
    }
    __device__ __forceinline__ void copy(const product &p, u32 stage, int portion)
    {
        /* Past the last slice, nothing exists. */
        const int done = SEVERAL && part.slice == part.end ? 1 << 30 : part.slice * SLICE;
        const int rows_a = done + threadIdx.x % CHUNKS * 4 < p.k ? rows : 0, rows_b = steps_b - done;
        const u32 to_a = to + stage * STAGE_BYTES;
        const u32 to_b = address_of_stages() + stage * STAGE_BYTES + A_BYTES + threadIdx.x * 16;
#pragma unroll
        for (int i = portion; i < COPIES_A + COPIES_B; i += PORTIONS) {
            const int j = i - COPIES_A;
            if (j < 0)
                chunk(to_a + i * PASS_A * ROW_A, from_a + (u64)(i * PASS_A) * p.k, i * PASS_A < rows_a);
            else
                chunk(to_b + j * PASS_B * ROW_B, from_b + (u64)(j * PASS_B) * p.n, j * PASS_B < rows_b);
        }
        if (portion < PORTIONS - 1)
            return;
        asm volatile("cp.async.commit_group;" ::: "memory");
        from_a += SLICE;
        from_b += (u64)SLICE * p.n;
        if (SEVERAL && part.slice == part.end)
            return;
        if (++part.slice != part.end || !SEVERAL)
            return;
        part = tile_shares_next(&p.shares, part, &last.part);
        if (part.slice != part.end)
            go_to(p);
    }
    /* All but the last STAGES - 3 slices that are under way have arrived, and all threads have read the stage
     * before. */
    __device__ __forceinline__ void wait(turn, bool)
    {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 3) : "memory");
        __syncthreads();
    }
    __device__ __forceinline__ void wait_first()
    {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
    }
    __device__ __forceinline__ void release(u32) {}
};

#endif

/* A thread's sums: rows 8 apart, and parts of four neighbours 16 columns apart. */
typedef float sums[THREAD_ROWS][THREAD_COLUMNS];

/* Lanes are numbered so that lanes i and i ^ 1 read the same chunk of A, and i and i ^ 2 the same of B: the
 * hardware then serves half a warp's 16-byte reads in one wavefront. */
static __device__ __forceinline__ u32 own_row()
{
    const u32 lane = threadIdx.x % 32;
    return threadIdx.x / 32 / WARPS_ACROSS * WARP_ROWS + ((lane >> 1 & 1) | (lane >> 2 & 6));
}
static __device__ __forceinline__ u32 own_column()
{
    const u32 lane = threadIdx.x % 32;
    return threadIdx.x / 32 % WARPS_ACROSS * WARP_COLUMNS + ((lane & 1) | (lane >> 1 & 2)) * 4;
}

/* Operands of a thread: four steps of k of A, and of B this step and the next. */
struct operands {
    float4 a[THREAD_ROWS], b[2][PARTS];
    u32 at_a, at_b; /* offsets in a stage */

    __device__ __forceinline__ operands() : at_a(chunk_offset(own_row(), 0)), at_b(A_BYTES + own_column() * 4)
    {
    }
    __device__ __forceinline__ void read_a(u32 stage, int chunk, int r)
    {
        a[r] = *(const float4 *)(stages + ((stage * STAGE_BYTES + at_a) ^ chunk * 16) + r * 8 * ROW_A);
    }
    __device__ __forceinline__ void read_b(u32 stage, int step)
    {
#pragma unroll
        for (int q = 0; q < PARTS; q++)
            b[step % 2][q] =
                *(const float4 *)(stages + stage * STAGE_BYTES + at_b + step % SLICE * ROW_B + q * 64);
    }
};

static __device__ __forceinline__ float part_of(const float4 &v, int i)
{
    if (i == 0)
        return v.x;
    if (i == 1)
        return v.y;
    return i == 2 ? v.z : v.w;
}

/* Step STEP of the slice in stage `now`, and the steps after it; `follows`: another slice comes, in stage
 * `next`. Before the last four steps, wait for that one, whose first operands are read during these; and copy
 * a later slice to where the one before this was. (A template, because the compiler does not unroll a loop of
 * this size.) */
template <int STEP, typename Loader>
static __device__ __forceinline__ void multiply_from(sums &sum, operands &o, Loader &load, turn now,
                                                     turn next, const product &p, bool follows)
{
    const u32 stage = STEP + 1 < SLICE ? now.stage : next.stage; /* of the next step */
    if (STEP == SLICE - 4)
        load.wait(next, follows);
    if (STEP >= SLICE - 4 && STEP < SLICE - 4 + PORTIONS)
        load.copy(p, now.before(), STEP - (SLICE - 4));
    o.read_b(stage, STEP + 1);
#pragma unroll
    for (int r = 0; r < THREAD_ROWS; r++) {
        const float left = part_of(o.a[r], STEP % 4);
#pragma unroll
        for (int c = 0; c < THREAD_COLUMNS; c++)
            sum[r][c] += left * part_of(o.b[STEP % 2][c / 4], c % 4);
        if (STEP % 4 == 3)
            o.read_a(stage, (STEP + 1) / 4 % CHUNKS, r);
    }
    if constexpr (STEP + 1 < SLICE)
        multiply_from<STEP + 1>(sum, o, load, now, next, p, follows);
}

template <typename Loader>
static __device__ __forceinline__ void multiply(sums &sum, operands &o, Loader &load, turn &now,
                                                const product &p, bool follows)
{
    turn next = now;
    next.advance();
    multiply_from<0>(sum, o, load, now, next, p, follows);
    load.release(now.stage);
    now = next;
}

/* Store ROWS of a thread's rows from `row` on; `value` of a row and a part. */
template <int ROWS, typename Value>
static __device__ __forceinline__ void store_rows(float *__restrict__ c, u32 row, u32 column,
                                                  const product &p, Value value)
{
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int q = 0; q < PARTS; q++)
            if (row + r * 8 < p.m && column + q * 16 < p.n)
                *(float4 *)(c + (u64)(row + r * 8) * p.n + column + q * 16) = value(r, q);
}

static __device__ __forceinline__ float4 piece_of(const sums &sum, int r, int q)
{
    return make_float4(sum[r][q * 4], sum[r][q * 4 + 1], sum[r][q * 4 + 2], sum[r][q * 4 + 3]);
}

static __device__ __forceinline__ void store(const sums &sum, float *__restrict__ c, uint2 at,
                                             const product &p)
{
    store_rows<THREAD_ROWS>(c, at.x + own_row(), at.y + own_column(), p,
                            [&](int r, int q) { return piece_of(sum, r, q); });
}

/* Copy the first slices, and read the first operands. */
template <typename Loader>
static __device__ __forceinline__ void begin(operands &o, Loader &load, const product &p)
{
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++)
#pragma unroll
        for (int portion = 0; portion < PORTIONS; portion++)
            load.copy(p, s, portion);
    load.wait_first();
    o.read_b(0, 0);
#pragma unroll
    for (int r = 0; r < THREAD_ROWS; r++)
        o.read_a(0, 0, r);
}

#ifdef variant_tma
#define OPERAND       const __grid_constant__ tensor_map
#define OPERAND_OF(x) (&(x))
#else
#define OPERAND       const float *__restrict__
#define OPERAND_OF(x) (x)
#endif

/* A block for each tile. */
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
    matmul(OPERAND a, OPERAND b, float *__restrict__ c, u32 m, u32 n, u32 k, u32 down, u32 across, u32 group)
{
    const u32 slices = (k + SLICE - 1) / SLICE;
    const product p = {m, n, k, down, across, group, {0, slices, 0, 0, 0, 0}};
    loader<false> load(OPERAND_OF(a), OPERAND_OF(b), p, {blockIdx.x, 0, slices, 0});
    sums sum = {};
    operands o;
    turn now = {0, 0};
    begin(o, load, p);
#pragma unroll 1
    for (u32 left = slices; left; left--)
        multiply(sum, o, load, now, p, left > 1);
    store(sum, c, p.place(blockIdx.x), p);
}

/* ---- several blocks for a tile ---- */

/* A part of a tile that several blocks compute: write it to scratch memory. The block that comes last adds up
 * all of them in their order along k, so that results do not depend on which is the last, and stores the
 * tile. A tile's counter has its slices that are written in the low half, and their parts in the high
 * half. */
static __device__ __forceinline__ void gather(const sums &sum, float *__restrict__ c,
                                              float4 *__restrict__ scratch, u64 *counters, const product &p,
                                              const tile_part &own)
{
    enum { PIECES = THREAD_ROWS * PARTS, ROWS = 4 }; /* ROWS: that are in registers at a time */
    __shared__ u64 written;
    const tile_shares &s = p.shares;
    const u32 tile = own.tile - s.whole, self = blockIdx.x - tile_shares_rest(&s);
    const u32 helper = own.slice == s.cut ? self : last.helper;
    auto slot = [&](u32 number) { return scratch + (u64)number * (PIECES * THREADS) + threadIdx.x; };
    float4 *to = slot(own.slice ? tile_shares_slot(&s, own.tile, self) : tile);
#pragma unroll
    for (int i = 0; i < PIECES; i++)
        to[i * THREADS] = piece_of(sum, i / PARTS, i % PARTS);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        const u64 mine = (u64)1 << 32 | (own.end - own.slice);
        written = atomicAdd(&counters[tile], mine) + mine;
        if ((u32)written == s.slices)
            counters[tile] = 0; /* for the next launch */
    }
    __syncthreads();
    if ((u32)written != s.slices)
        return;
    __threadfence();
    const u32 parts = (u32)(written >> 32);
    const uint2 at = p.place(own.tile);
    const u32 row = at.x + own_row(), column = at.y + own_column();
#pragma unroll 1
    for (u32 first = 0; first < THREAD_ROWS; first += ROWS) {
        float4 total[ROWS * PARTS] = {};
#pragma unroll 1
        for (u32 part = 0; part < parts; part++) {
            const float4 *from = slot(part ? tile_shares_slot(&s, own.tile, helper + part - 1) : tile);
#pragma unroll
            for (int i = 0; i < ROWS * PARTS; i++) {
                const float4 value = __ldcg(from + (first * PARTS + i) * THREADS);
                total[i].x += value.x;
                total[i].y += value.y;
                total[i].z += value.z;
                total[i].w += value.w;
            }
        }
        store_rows<ROWS>(c, row + first * 8, column, p, [&](int r, int q) { return total[r * PARTS + q]; });
    }
}

/* The part that a warp multiplies: in registers it would cost some in the main loop. */
static __shared__ tile_part multiplied[WARPS];

/* Blocks that share all tiles (tile_shares.cuh): `whole`, `cut` and `helpers` of them. */
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
    matmul_shared(OPERAND a, OPERAND b, float *__restrict__ c, u32 m, u32 n, u32 k, u32 down, u32 across,
                  u32 group, float4 *__restrict__ scratch, u64 *counters, u32 whole, u32 cut, u32 helpers)
{
    const u32 slices = (k + SLICE - 1) / SLICE;
    const product p = {m, n, k, down, across, group, {down * across, slices, gridDim.x, whole, cut, helpers}};
    if (threadIdx.x == 0) {
        last.part = tile_shares_last(&p.shares, blockIdx.x);
        if (cut < slices && last.part.end)
            last.helper = tile_shares_helper(&p.shares, tile_shares_number(&p.shares, last.part.tile));
    }
    __syncthreads();
    const tile_part first = tile_shares_first(&p.shares, blockIdx.x, &last.part);
    if (first.slice == first.end)
        return;
    loader<true> load(OPERAND_OF(a), OPERAND_OF(b), p, first);
    operands o;
    turn now = {0, 0};
    begin(o, load, p);
    tile_part &part = multiplied[threadIdx.x / 32];
    part = first;
    __syncwarp();
    for (bool more = true; more;) {
        const tile_part after = tile_shares_next(&p.shares, part, &last.part);
        more = after.slice != after.end;
        sums sum = {};
#pragma unroll 1
        for (u32 left = part.end - part.slice; left; left--)
            multiply(sum, o, load, now, p, left > 1 || more);
        const tile_part own = part;
        if (own.end - own.slice == slices)
            store(sum, c, p.place(own.tile), p);
        else
            gather(sum, c, scratch, counters, p, own);
        __syncwarp();
        part = tile_shares_next(&p.shares, own, &last.part);
        __syncwarp();
    }
}

#endif
