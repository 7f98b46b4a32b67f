/* tensor_tcgen05.cuh - the variant tcgen05 of tensor_matmul (sm_100a, sm_103a, sm_110a and their families),
 * which includes it: sums in tensor memory.
 *
 * One thread loads the stages by bulk tensor copies; one orders the products, of 128 x TILE_N elements and 32
 * bytes of the sum, whose operands stay in shared memory; four warps take the results from tensor memory,
 * which holds two tiles, so that a tile is stored while the next one is multiplied.
 *
 * With CLUSTER 2, the blocks of a pair have tiles below each other, and multiply together: each loads its 128
 * rows of A and half the rows of B into its own shared memory, and a thread of the first block orders
 * products of 256 rows, of which each block's tensor memory gets
 * 128. Copies of both blocks complete on the barriers of the first.
 *
 * With SCALED, each stage has the scales of its slices, too, which the thread that orders the products has
 * copied to tensor memory first. Each stage has columns of its own there. */
#ifndef KERNELS_TENSOR_TCGEN05_CUH
#define KERNELS_TENSOR_TCGEN05_CUH

#include "tcgen05.cuh"

enum { STORING = 4, THREADS = (STORING + 2) * 32, OWN_N = TILE_N / CLUSTER, BUFFERS = 2 };
enum { OPERAND_BYTES = A_BYTES + OWN_N * ROW_BYTES };

/* Scales of 128 rows and four blocks: bytes, and columns of tensor memory. A slice of 128 bytes has four
 * blocks of 32 elements, of e2m1 eight, or sixteen of 16. */
#if defined(scale_e4m3)
enum { SCALES_OF_SLICE = 4 };
#elif defined(DTYPE_e2m1)
enum { SCALES_OF_SLICE = 2 };
#else
enum { SCALES_OF_SLICE = 1 };
#endif
enum { SCALE_BYTES = 512, SCALE_COLUMNS = 4, SCALES = SCALED * SCALES_OF_SLICE };
enum { STAGE_BYTES = OPERAND_BYTES + 2 * SCALES * SCALE_BYTES };
#if SCALED
static_assert(CLUSTER == 1 && TILE_N == 128, "scales are of one block, and beside two tiles of 128 columns");
#define SCALE_ARGUMENTS , const char *__restrict__ scales_a, const char *__restrict__ scales_b
#else
#define SCALE_ARGUMENTS
#endif

/* Results leave in boxes of a warp's 32 rows and 128 bytes. A warp has as many of them as fit beside the
 * stages. */
enum { BOXES = TILE_N / C_COLUMNS, BOX_BYTES = 32 * ROW_BYTES, SHARED_BYTES = 227 * 1024 - 2048 };
enum { FITTING = (SHARED_BYTES - STAGES * STAGE_BYTES) / (STORING * BOX_BYTES) };
enum { SLOTS = FITTING < BOXES ? FITTING : BOXES };

/* What all threads know. Barriers of stage s: full[s] of the first block completes when the bytes of all
 * blocks have arrived, empty[s] of each block when the products that read the stage are done. Barriers of
 * tile t in tensor memory: done[t] of each block when its products are, and taken[t] of the first block when
 * all warps of all blocks have loaded its results. */
struct work : tiles_of_all {
    u32 stages, boxes, full, empty, done, taken, sums;
};

/* Scales of a slice and of a tile of 128 rows lie in memory as in shared memory, slice after slice of each
 * tile. */
static __device__ __forceinline__ void load_slice_scales(u32 to, const char *scales, u32 tile, u32 slice,
                                                         u32 slices, u32 full)
{
    bulk_copy(to, scales + ((u64)tile * slices + slice) * (SCALES * SCALE_BYTES), SCALES * SCALE_BYTES, full);
}

/* One thread of each block. Only the first block's expects bytes: those of all blocks. */
static __device__ __forceinline__ void load_all(const work &w, const tensor_map *a,
                                                const tensor_map *b SCALE_ARGUMENTS)
{
    turn t = {0, 1}; /* all stages are empty: the phase before the first one is complete */
    for (u32 tile = blockIdx.x / CLUSTER; tile < w.tiles; tile += gridDim.x / CLUSTER) {
        const uint2 at = w.place(tile);
#pragma unroll 1
        for (u32 slice = 0; slice < w.slices; slice++, t.advance()) {
            const u32 stage = w.stages + t.stage * STAGE_BYTES, full = w.full + 8 * t.stage;
            barrier_wait(w.empty + 8 * t.stage, t.parity);
            if (w.rank == 0)
                barrier_expect(full, CLUSTER * STAGE_BYTES);
            load_box_of_pair<CLUSTER>(stage, a, slice * SLICE, at.x, full);
            load_box_of_pair<CLUSTER>(stage + A_BYTES, b, slice * SLICE, at.y + OWN_N * w.rank, full);
#if SCALED
            load_slice_scales(stage + OPERAND_BYTES, scales_a, at.x / TILE_M, slice, w.slices, full);
            load_slice_scales(stage + OPERAND_BYTES + SCALES * SCALE_BYTES, scales_b, at.y / TILE_N, slice,
                              w.slices, full);
#endif
        }
    }
}

/* The same thread as multiply_all: the products of a stage. */
static __device__ __forceinline__ void multiply_stage(const work &w, u32 number, u32 d, u32 slice)
{
    const u32 stage = w.stages + number * STAGE_BYTES;
    const u64 a = swizzled_descriptor(stage), b = swizzled_descriptor(stage + A_BYTES);
#if SCALED
    const u32 scales = w.sums + BUFFERS * TILE_N + number * (2 * SCALES * SCALE_COLUMNS);
#pragma unroll
    for (u32 i = 0; i < 2 * SCALES; i++)
        load_scales(scales + i * SCALE_COLUMNS, stage + OPERAND_BYTES + i * SCALE_BYTES);
#pragma unroll
    for (u32 step = 0; step < STEPS; step++) {
        const u32 columns = scales + step * SCALES / STEPS * SCALE_COLUMNS;
        tensor_multiply_scaled<1>(d, a + 2 * step, b + 2 * step,
                                  scaled_instruction_of(TILE_M, TILE_N, step * SCALES % STEPS), columns,
                                  columns + SCALES * SCALE_COLUMNS, slice | step);
    }
#else
    constexpr u32 instruction = instruction_of(TILE_M * CLUSTER, TILE_N);
#pragma unroll
    for (u32 step = 0; step < STEPS; step++)
        tensor_multiply<CLUSTER>(d, a + 2 * step, b + 2 * step, instruction, slice | step);
#endif
}

/* One thread of the first block. */
static __device__ __forceinline__ void multiply_all(const work &w)
{
    turn t = {0, 0};
    u32 buffer = 0, parity = 1; /* both are taken: the phase before the first one is complete */
    for (u32 tile = blockIdx.x / CLUSTER; tile < w.tiles; tile += gridDim.x / CLUSTER) {
        const u32 d = w.sums + buffer * TILE_N;
        barrier_wait(w.taken + 8 * buffer, parity);
        after_barrier();
#pragma unroll 1
        for (u32 slice = 0; slice < w.slices; slice++, t.advance()) {
            barrier_wait(w.full + 8 * t.stage, t.parity);
            after_barrier();
            multiply_stage(w, t.stage, d, slice);
            arrive_when_multiplied<CLUSTER>(w.empty + 8 * t.stage);
        }
        arrive_when_multiplied<CLUSTER>(w.done + 8 * buffer);
        buffer ^= 1;
        parity ^= buffer == 0;
    }
}

/* C_COLUMNS results of the lane's row into its row of the warp's box. The chunks of eight lanes lie in eight
 * places modulo 128 bytes. */
static __device__ __forceinline__ void fill_box(u32 from, u32 to)
{
    const u32 lane = threadIdx.x % 32;
    enum { HELD = 32, CHUNKS = HELD * C_SIZE / 16 };
#pragma unroll
    for (u32 part = 0; part < C_COLUMNS / HELD; part++) {
        u32 sum[HELD];
        load_columns(sum, from + part * HELD);
#pragma unroll
        for (u32 chunk = 0; chunk < CHUNKS; chunk++) {
            const u32 place = to + lane * ROW_BYTES + ((part * CHUNKS + chunk) ^ lane % 8) * 16;
            const accumulator *d = (const accumulator *)sum + chunk * (16 / C_SIZE);
#if C_BITS == 16
            const uint4 word = make_uint4(pair_of(d), pair_of(d + 2), pair_of(d + 4), pair_of(d + 6));
#else
            const pair low = pair_of(d), high = pair_of(d + 2);
            const uint4 word = make_uint4(low.x, low.y, high.x, high.y);
#endif
            asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(place), "r"(word.x), "r"(word.y),
                         "r"(word.z), "r"(word.w)
                         : "memory");
        }
    }
}

/* Four warps of each block, each of its 32 rows. */
static __device__ __forceinline__ void store_all(const work &w, const tensor_map *c)
{
    const u32 warp = threadIdx.x / 32, boxes = w.boxes + warp * SLOTS * BOX_BYTES;
    const bool first = threadIdx.x % 32 == 0;
    u32 buffer = 0, parity = 0;
    for (u32 tile = blockIdx.x / CLUSTER; tile < w.tiles; tile += gridDim.x / CLUSTER) {
        const uint2 at = w.place(tile);
        const u32 sums = w.sums + (warp * 32 << 16) + buffer * TILE_N;
        barrier_wait(w.done + 8 * buffer, parity);
        after_barrier();
#pragma unroll
        for (u32 box = 0; box < BOXES; box++) {
            const u32 to = boxes + box % SLOTS * BOX_BYTES;
            if (first)
                wait_stores_read<SLOTS - 1>();
            __syncwarp();
            fill_box(sums + box * C_COLUMNS, to);
            if (box == BOXES - 1)
                before_barrier();
            asm volatile("fence.proxy.async.shared::cta;" ::
                             : "memory"); /* the store reads what was written */
            __syncwarp();
            if (first)
                store_box(to, c, at.y + box * C_COLUMNS, at.x + warp * 32);
        }
        if (first)
            barrier_arrive<CLUSTER>(w.taken + 8 * buffer, 0);
        buffer ^= 1;
        parity ^= buffer == 0;
    }
    wait_stores_read<0>(); /* before shared memory goes */
}

/* `down` and `across`: tiles of clusters. Elements past the edges of the matrices are loaded as zeros, and
 * not stored. */
extern "C" __global__ void __launch_bounds__(THREADS, 1) IN_CLUSTERS
    tensor_matmul(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b,
                  const __grid_constant__ tensor_map c, u32 k, u32 down, u32 across,
                  u32 group SCALE_ARGUMENTS)
{
    extern __shared__ __align__(1024) char shared[]; /* the swizzle uses bits of the address */
    enum { COLUMNS = SCALED ? 512 : BUFFERS * TILE_N };
    const u32 stages = shared_address(shared), boxes = stages + STAGES * STAGE_BYTES;
    const u32 full = boxes + SLOTS * STORING * BOX_BYTES, empty = full + 8 * STAGES,
              done = empty + 8 * STAGES, taken = done + 8 * BUFFERS, address = taken + 8 * BUFFERS,
              warp = threadIdx.x / 32;
    work w = {{rank_in_cluster<CLUSTER>(), down * across, down, across, group, (k + SLICE - 1) / SLICE},
              stages,
              boxes,
              full,
              empty,
              done,
              taken,
              0};
    if (threadIdx.x == 0) {
        for (u32 s = 0; s < STAGES; s++) {
            barrier_init(full + 8 * s);
            barrier_init(empty + 8 * s);
        }
        for (u32 t = 0; t < BUFFERS; t++) {
            barrier_init(done + 8 * t);
            barrier_init_for(taken + 8 * t, CLUSTER * STORING);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    if (threadIdx.x == 32) {
        prefetch_map(&a);
        prefetch_map(&b);
        prefetch_map(&c);
    }
    __syncwarp();
    if (warp == STORING + 1)
        allocate_columns<CLUSTER, COLUMNS>(address);
    before_barrier();
    sync_cluster<CLUSTER>();
    after_barrier();
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(w.sums) : "r"(address) : "memory");
    if (warp < STORING) {
        store_all(w, &c);
    } else if (elected()) {
        if (warp == STORING)
#if SCALED
            load_all(w, &a, &b, scales_a, scales_b);
#else
            load_all(w, &a, &b);
#endif
        else if (w.rank == 0)
            multiply_all(w);
    }
    __syncwarp();
    before_barrier();
    sync_cluster<CLUSTER>(); /* the other block may still multiply what is here, or arrive at our barriers */
    after_barrier();
    if (warp == STORING + 1)
        free_columns<CLUSTER, COLUMNS>(w.sums);
}

#endif
