/* rate_tcgen05.cuh - the variants tcgen05 and tcgen05_ts of mma_rate (sm_100a, sm_103a, sm_110a and their
 * families), which includes it: one thread orders products whose sums lie in tensor memory.
 *
 * With CLUSTER 2, two blocks multiply together: each has 128 rows of the left matrix and half of the right
 * one, and a thread of the first block orders products of 256 rows, of which each block's tensor memory gets
 * 128. */
#ifndef KERNELS_RATE_TCGEN05_CUH
#define KERNELS_RATE_TCGEN05_CUH

#include "tcgen05.cuh"
#include "tensor_map.cuh"

#if CLUSTER > 1
#define IN_CLUSTERS __cluster_dims__(CLUSTER, 1, 1)
#else
#define IN_CLUSTERS
#endif

enum { ROWS = TENSOR_MEMORY_ROWS, ALL_ROWS = ROWS * CLUSTER, OWN_N = SHAPE_N / CLUSTER };

#if SCALED
constexpr u32 plus = scaled_instruction_of(ALL_ROWS, SHAPE_N, 0),
              minus = scaled_instruction_of(ALL_ROWS, SHAPE_N, 0, true);
#else
constexpr u32 plus = instruction_of(ALL_ROWS, SHAPE_N), minus = instruction_of(ALL_ROWS, SHAPE_N, SIGNS != 0);
#endif

#ifdef variant_tcgen05_ts
typedef u32 operand; /* address in tensor memory */
#else
typedef u64 operand; /* descriptor of shared memory */
#endif

static __device__ __forceinline__ void multiply(u32 sums, u32 chain, operand left, u64 right, u32 instruction)
{
#if SCALED
    const u32 scales = sums + CHAINS * SHAPE_N;
    tensor_multiply_scaled<CLUSTER>(sums + chain * SHAPE_N, left, right, instruction, scales, scales + 4, 1);
#else
    tensor_multiply<CLUSTER>(sums + chain * SHAPE_N, left, right, instruction, 1);
#endif
}

/* One thread: the products of all chains, as of the other variants. They are waited for once, at the end. */
static __device__ __forceinline__ void multiply_all(u32 sums, operand left, u64 right, u32 rounds, u32 done)
{
#pragma unroll
    for (u32 c = 0; c < CHAINS; c++)
        multiply(sums, c, left, right, plus);
#pragma unroll 1
    for (u32 round = 0; round < rounds; round++) {
#pragma unroll
        for (int pair = 0; pair < PAIRS; pair++) {
#pragma unroll
            for (u32 c = 0; c < CHAINS; c++)
                multiply(sums, c, left, right, minus);
#pragma unroll
            for (u32 c = 0; c < CHAINS; c++)
                multiply(sums, c, left, right, plus);
        }
    }
    arrive_when_multiplied<CLUSTER>(done);
}

/* The sums of the chains' accumulators, of which number c begins with c: ROWS x SHAPE_N, by rows. A thread
 * has a row. */
extern "C" __global__ void __launch_bounds__(BLOCK) IN_CLUSTERS
    mma_rate(const u8 *__restrict__ a, const u8 *__restrict__ b, accumulator *__restrict__ out,
             u32 all_rounds)
{
#ifdef variant_tcgen05
    __shared__ __align__(128) u32 tile_a[ROWS * ROW_WORDS];
#endif
    __shared__ __align__(128) u32 tile_b[OWN_N * ROW_WORDS];
    __shared__ u64 barrier;
    __shared__ u32 allocated;
    const u32 warp = threadIdx.x / 32, done = shared_address(&barrier), rank = rank_in_cluster<CLUSTER>();
    a += rank * ROWS * ROW_WORDS * IN_WORD;
#ifdef variant_tcgen05
    place<ROW_WORDS>(tile_a, a, ROWS, 0);
#endif
    place<ROW_WORDS>(tile_b, b + rank * OWN_N * ROW_WORDS * IN_WORD, OWN_N, 0);
    if (threadIdx.x == 0) {
        barrier_init(done);
        if (CLUSTER > 1)
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncwarp();
    if (warp == 0)
        allocate_columns<CLUSTER, COLUMNS>(shared_address(&allocated));
    before_barrier();
    __syncthreads();
    after_barrier();
    const u32 sums = allocated, own = sums + (warp * 32 << 16);
    for (u32 c = 0; c < CHAINS; c++) {
        const accumulator first = c;
        for (u32 i = 0; i < SHAPE_N; i += 8)
            fill_columns(own + c * SHAPE_N + i, *(const u32 *)&first);
    }
#if SCALED
    for (u32 i = 0; i < SCALE_COLUMNS; i += 8)
        fill_columns(own + CHAINS * SHAPE_N + i, ONES_OF_SCALES);
#endif
#ifdef variant_tcgen05_ts
    const operand left = sums + CHAINS * SHAPE_N + SCALE_COLUMNS;
    for (u32 i = 0; i < LEFT_COLUMNS; i++)
        store_column(left + (warp * 32 << 16) + i, word_of(a, threadIdx.x, i));
#endif
    columns_filled();
    asm volatile("fence.proxy.async;" ::: "memory"); /* products read what was placed */
    before_barrier();
    sync_cluster<CLUSTER>();
    after_barrier();
#ifdef variant_tcgen05
    const operand left = plain_descriptor(shared_address(tile_a), ROWS * 16, 128);
#endif
    if (rank == 0 && warp == 0 && elected())
        multiply_all(sums, left, plain_descriptor(shared_address(tile_b), OWN_N * 16, 128),
                     rounds_of(all_rounds), done);
    __syncwarp();
    barrier_wait(done, 0);
    after_barrier();
    for (u32 i = 0; i < SHAPE_N; i += 32) {
        accumulator sum[32] = {};
        for (u32 c = 0; c < CHAINS; c++) {
            u32 words[32];
            load_columns(words, own + c * SHAPE_N + i);
#pragma unroll
            for (u32 j = 0; j < 32; j++)
                sum[j] += *(const accumulator *)&words[j];
        }
#pragma unroll
        for (u32 j = 0; j < 32; j++)
            out[((u64)blockIdx.x * ROWS + threadIdx.x) * SHAPE_N + i + j] = sum[j];
    }
    before_barrier();
    sync_cluster<CLUSTER>();
    after_barrier();
    if (warp == 0)
        free_columns<CLUSTER, COLUMNS>(sums);
}

#endif
