/* pipeline.cuh - C = A B in f32 by the multiplication units of f32 (FFMA): slices of A and B come by asynchronous copies, STAGES of them
 * in shared memory. Included by matmul.cu as "pipeline.cuh", whose macros and constants it reads:
 *
 *   TILE_ROWS, TILE_COLUMNS  rows and columns of C of a block: multiples of 64
 *   SLICE                    columns of A and rows of B in a stage: 8, 16 or 32
 *   variant_tma              bulk tensor copies, ordered by one thread; without it, cp.async by all threads
 *
 * Bound: a multiprocessor of 9.0 issues 4 instructions in a cycle, and an FFMA of a warp takes one of these places. So every other
 * instruction of the main loop costs a product. With 8 x 16 elements of C, a thread reads 24 words in 6 instructions for 128 products.
 *
 * A lies in shared memory as in global memory, row by row: a thread reads four neighbours along k of each of its rows, 16 bytes, for
 * four steps of k. Each row's chunks of 16 bytes are swizzled as tensor copies do it, so that those of eight neighbouring rows lie in
 * different banks. B lies row by row, too: a thread reads 16 bytes along n in each step.
 *
 * Registers: A's four steps are replaced in place, each row after its last product; B's next step is read before the products of this
 * one. Both arrive many products before they are used. */
#ifndef KERNELS_PIPELINE_CUH
#define KERNELS_PIPELINE_CUH

#include "tile_order.cuh"

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

/* Offset of a chunk of a row of A in a stage: bits 4 to 6 of the address, as many as number the chunks of a row, are changed by bits 7
 * to 9 (PTX ISA, "Swizzling modes"). The same 8 rows further on. */
static __device__ __forceinline__ u32 chunk_offset(u32 row, u32 chunk)
{
    return row * ROW_A + (chunk ^ row * ROW_A / 128 % CHUNKS) * 16;
}

/* What all blocks know. A block multiplies consecutive slices of one tile, or of several. */
struct product {
    u32 m, n, k, down, across, group, slices; /* slices of a tile */
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

/* The slice that is copied next, and how many there are from it on. */
struct copying {
    u32 tile, slice, left;
    /* True if another tile begins. SEVERAL: a block may multiply slices of several tiles. */
    template <bool SEVERAL> __device__ __forceinline__ bool advance(u32 slices)
    {
        left--;
        if (++slice < slices || !SEVERAL)
            return false;
        slice = 0;
        tile++;
        return true;
    }
};

/* A slice is copied in PORTIONS, between the products of as many steps. */
enum { PORTIONS = 2 };

#ifdef variant_tma

#include "tensor_map.cuh"

typedef const tensor_map *operand;
enum { BARRIERS_BYTES = 16 * STAGES };

/* Thread 0 orders the copies. Barriers of stage s: full[s] completes when its bytes have arrived, empty[s] when all warps have read
 * it. Nothing else holds the warps of a block together. */
template <bool SEVERAL> struct loader {
    operand a, b;
    u32 shared, row, column, parity; /* parity: of the phase in which the next stage is read */
    copying next;

    __device__ __forceinline__ u32 full(u32 stage) const { return shared + STAGES * STAGE_BYTES + 8 * stage; }
    __device__ __forceinline__ u32 empty(u32 stage) const { return full(STAGES + stage); }
    __device__ __forceinline__ loader(operand a, operand b, const product &p, copying first)
        : a(a), b(b), shared(address_of_stages()), parity(1), next(first)
    {
        /* All stages are empty: the phase before the first one, of parity 1, is complete. */
        if (threadIdx.x == 0) {
            for (u32 s = 0; s < STAGES; s++) {
                barrier_init_for(full(s), 1);
                barrier_init_for(empty(s), WARPS);
            }
            asm volatile("fence.mbarrier_init.release.cluster;\n fence.proxy.async.shared::cta;" ::
                             : "memory");
        }
        __syncthreads();
        go_to(p);
    }
    __device__ __forceinline__ void go_to(const product &p)
    {
        const uint2 at = p.place(next.tile);
        row = at.x;
        column = at.y;
    }
    __device__ __forceinline__ void copy(const product &p, u32 stage, int portion)
    {
        if (portion || threadIdx.x || !next.left)
            return;
        const u32 to = shared + stage * STAGE_BYTES, barrier = full(stage);
        barrier_wait(empty(stage), parity);
        barrier_expect(barrier, STAGE_BYTES);
        load_box(to, a, next.slice * SLICE, row, barrier);
        load_box(to + A_BYTES, b, column, next.slice * SLICE, barrier);
        parity ^= stage == STAGES - 1;
        if (next.template advance<SEVERAL>(p.slices) && next.left)
            go_to(p);
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
    copying next;

    __device__ __forceinline__ loader(operand a, operand b, const product &p, copying first)
        : a(a), b(b), to(address_of_stages() + chunk_offset(threadIdx.x / CHUNKS, threadIdx.x % CHUNKS)),
          next(first)
    {
        go_to(p);
    }
    __device__ __forceinline__ void go_to(const product &p)
    {
        const uint2 at = p.place(next.tile);
        const u32 row = at.x + threadIdx.x / CHUNKS, column = at.y + threadIdx.x % CHUNKS_B * 4;
        from_a = a + (u64)row * p.k + threadIdx.x % CHUNKS * 4 + next.slice * SLICE;
        from_b = b + (u64)(threadIdx.x / CHUNKS_B + next.slice * SLICE) * p.n + column;
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
        const int done = SEVERAL && !next.left ? 1 << 30 : next.slice * SLICE;
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
        if (!(SEVERAL && !next.left) && next.template advance<SEVERAL>(p.slices) && next.left)
            go_to(p);
    }
    /* All but the last STAGES - 3 slices that are under way have arrived, and all threads have read the stage before. */
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

/* Lanes are numbered so that lanes i and i ^ 1 read the same chunk of A, and i and i ^ 2 the same of B: the hardware then serves half
 * a warp's 16-byte reads in one wavefront. */
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
    return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

/* Step STEP of the slice in stage `now`, and the steps after it; `follows`: another slice comes, in stage `next`. Before the last four
 * steps, wait for that one, whose first operands are read during these; and copy a later slice to where the one before this was.
 * (A template, because the compiler does not unroll a loop of this size.) */
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

static __device__ __forceinline__ void store(const sums &sum, float *__restrict__ c, uint2 at,
                                             const product &p)
{
    const u32 row = at.x + own_row(), column = at.y + own_column();
#pragma unroll
    for (int r = 0; r < THREAD_ROWS; r++)
#pragma unroll
        for (int q = 0; q < PARTS; q++)
            if (row + r * 8 < p.m && column + q * 16 < p.n)
                *(float4 *)(c + (u64)(row + r * 8) * p.n + column + q * 16) =
                    make_float4(sum[r][q * 4], sum[r][q * 4 + 1], sum[r][q * 4 + 2], sum[r][q * 4 + 3]);
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
    const product p = {m, n, k, down, across, group, (k + SLICE - 1) / SLICE};
    loader<false> load(OPERAND_OF(a), OPERAND_OF(b), p, {blockIdx.x, 0, p.slices});
    sums sum = {};
    operands o;
    turn now = {0, 0};
    begin(o, load, p);
#pragma unroll 1
    for (u32 left = p.slices; left; left--)
        multiply(sum, o, load, now, p, left > 1);
    store(sum, c, p.place(blockIdx.x), p);
}

/* ---- several blocks for a tile ---- */

/* All slices of all tiles, tile by tile, in as many equal shares as there are blocks. With a multiple of the number of tiles the sum of
 * each tile is split alike (split-K); with as many blocks as run at once, all work equally long (stream-K). */
struct shares {
    u64 all, blocks;
    u32 slices;
    __device__ __forceinline__ u64 begin(u32 block) const { return block * all / blocks; }
    __device__ __forceinline__ u32 block_of(u64 slice) const
    {
        return (u32)(((slice + 1) * blocks - 1) / all);
    }
};

/* Add up the parts of a tile that several blocks have computed: each writes its part to scratch memory, the last one adds them in order
 * of the blocks, so that results do not depend on which is the last. Its own part is still in registers. True for that block. */
static __device__ bool gather(sums &sum, float4 *__restrict__ scratch, u32 *counters, const shares &s,
                              u32 tile, u32 slots)
{
    enum { PIECES = THREAD_ROWS * PARTS };
    __shared__ u32 arrived;
    const u64 start = (u64)tile * s.slices;
    const u32 first = s.block_of(start), last = s.block_of(start + s.slices - 1);
    /* Of a block's two incomplete tiles, the first is the one that began in another block. */
    auto part_of_block = [&](u32 block) {
        return scratch + ((u64)block * slots + (slots > 1 && s.begin(block) <= start)) * (PIECES * THREADS) +
               threadIdx.x;
    };
    float4 *own = part_of_block(blockIdx.x);
#pragma unroll
    for (int i = 0; i < PIECES; i++) {
        const float *from = &sum[i / PARTS][i % PARTS * 4];
        own[i * THREADS] = make_float4(from[0], from[1], from[2], from[3]);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) /* the last one makes it zero again, for the next launch */
        arrived = atomicInc(&counters[tile], last - first);
    __syncthreads();
    if (arrived != last - first)
        return false;
    __threadfence();
#pragma unroll
    for (int i = 0; i < PIECES; i++) {
        float *to = &sum[i / PARTS][i % PARTS * 4];
        const float4 mine = make_float4(to[0], to[1], to[2], to[3]);
        float4 total = make_float4(0, 0, 0, 0);
        for (u32 block = first; block <= last; block++) {
            const float4 part = block == blockIdx.x ? mine : __ldcg(part_of_block(block) + i * THREADS);
            total.x += part.x;
            total.y += part.y;
            total.z += part.z;
            total.w += part.w;
        }
        to[0] = total.x;
        to[1] = total.y;
        to[2] = total.z;
        to[3] = total.w;
    }
    return true;
}

/* A block for each share: no more blocks than slices. `slots`: incomplete tiles that a block can have. */
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT)
    matmul_shared(OPERAND a, OPERAND b, float *__restrict__ c, u32 m, u32 n, u32 k, u32 down, u32 across,
                  u32 group, float4 *__restrict__ scratch, u32 *counters, u32 slots)
{
    const product p = {m, n, k, down, across, group, (k + SLICE - 1) / SLICE};
    const shares s = {(u64)down * across * p.slices, gridDim.x, p.slices};
    const u64 from = s.begin(blockIdx.x);
    u32 left = (u32)(s.begin(blockIdx.x + 1) - from), tile = (u32)(from / p.slices),
        slice = (u32)(from % p.slices);
    loader<true> load(OPERAND_OF(a), OPERAND_OF(b), p, {tile, slice, left});
    operands o;
    turn now = {0, 0};
    begin(o, load, p);
#pragma unroll 1
    for (; left; tile++, slice = 0) {
        sums sum = {};
        const u32 here = min(p.slices - slice, left);
#pragma unroll 1
        for (u32 i = 0; i < here; i++, left--)
            multiply(sum, o, load, now, p, left > 1);
        if (here == p.slices || gather(sum, scratch, counters, s, tile, slots))
            store(sum, c, p.place(tile), p);
    }
}

#endif
