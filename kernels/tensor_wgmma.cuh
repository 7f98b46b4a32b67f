/* tensor_wgmma.cuh - the variant wgmma of tensor_matmul (sm_90a), which includes it: operands in shared
 * memory.
 *
 * One warp loads the stages by bulk tensor copies; two groups of four warps multiply 64 x TILE_N elements
 * each. CLUSTER blocks with tiles below each other share B: each loads a part of it for all. Blocks are
 * persistent; the results leave by bulk tensor stores, while the next tile is multiplied. */
#ifndef KERNELS_TENSOR_WGMMA_CUH
#define KERNELS_TENSOR_WGMMA_CUH

#define WGMMA_N TILE_N
#include "wgmma.cuh"

enum { GROUP = 128, CONSUMERS = 2, THREADS = GROUP * (1 + CONSUMERS), ROWS = 64, HELD = TILE_N / 2 };
enum { B_BYTES = TILE_N * ROW_BYTES, STAGE_BYTES = A_BYTES + B_BYTES + METADATA_BYTES };

/* Results leave in boxes of 16 rows of a warp and 128 bytes. A warp has as many of them as fit beside the
 * stages. */
enum { BOXES = TILE_N / C_COLUMNS, BOX_BYTES = 16 * ROW_BYTES, SHARED_BYTES = 227 * 1024 - 2048 };
enum { FITTING = (SHARED_BYTES - STAGES * STAGE_BYTES) / (CONSUMERS * 4 * BOX_BYTES) };
enum { SLOTS = FITTING < BOXES ? FITTING : BOXES };

/* Registers of a thread, of the 65536 that THREADS threads share: loading needs few. */
#define REGISTERS_LOADING     "40"
#define REGISTERS_MULTIPLYING "232"

/* What all threads know. The barriers of stage s: full[s] completes when its bytes have arrived; empty[s]
 * when all warps that multiply in the cluster have read the stage, because each block writes into all
 * blocks. */
struct work : tiles_of_all {
    u32 stages, boxes, full, empty;
};

/* One thread. */
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

/* A matrix in shared memory in rows of 128 or 64 swizzled bytes: address, distance of groups of eight rows,
 * in units of 16 bytes, and swizzle (PTX ISA, "Matrix Descriptor Format"). Its address may be advanced by 32
 * bytes inside of a row. */
template <u32 BYTES> static __device__ __forceinline__ u64 descriptor_of(u32 address)
{
    return (u64)(address >> 4) | 1ull << 16 | (u64)(8 * BYTES / 16) << 32 |
           (BYTES == 128 ? 1ull : 2ull) << 62;
}

#if SPARSE
/* The threads that hold the metadata of types of 16 and more bits: the first two of each four for an even
 * step, the others for an odd one. Of types of one byte all do, and each step has its own word. */
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

/* The sum over the next `slices` slices. A stage is released when the products of the next one have started.
 * A single stage is released when its own are done: nothing is loaded while it is multiplied. Products of a
 * slice may run until those of the next one have started, and their metadata stay in registers until then:
 * slices take turns with two sets of them. */
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

/* The group's part of a tile. With PROMOTE, sums over so many slices are added up by the multiprocessor's f32
 * adders: sums of fp8 inside of wgmma keep fewer bits. */
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
        /* Rows 0-7 and 8-15 of eight columns, and of the next eight; a lane has the address of a row of one
         * of them. */
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

/* The warp's 16 x TILE_N elements. Its stores of the tile before have read their boxes when the boxes are
 * written again. */
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

/* `down` and `across`: tiles of clusters. Elements past the edges of the matrices are loaded as zeros, and
 * not stored. */
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
