/* prefetch - stream an array through shared memory: ways to copy it there, and the number of bytes in flight.
 *
 * By Little's law a multiprocessor needs B * L bytes in flight to receive B bytes per cycle at a latency of L
 * cycles. A fixed grid loops over the array in tiles. A block has STAGES tiles of TILE_BYTES bytes in shared
 * memory. It requests all of them before it uses the first, and refills each as soon as it is used.
 * Bytes in flight per multiprocessor: stages * tile * resident blocks.
 *
 *   sync      loads to registers, stores to shared memory, barrier: no loads are in flight during the
 *             computation
 *   cp_async  16-byte asynchronous copies by all threads, completed by groups (LDGSTS)
 *   pipeline_thread  the same through a cuda::pipeline per thread: the cost of the abstraction
 *   pipeline  a cuda::pipeline of the block, as in textbooks: its stages are acquired and released on
 *             barriers
 *   barrier   cuda::memcpy_async of a whole tile by the block on a cuda::barrier: the library chooses the
 *             copy (bulk from sm_90 on, 16 bytes per thread on older architectures)
 *   bulk      one thread copies a whole tile, which completes on an mbarrier (UBLKCP; from sm_90 on)
 *   tensor    the same with a box of a two-dimensional tensor map (UTMALDG; from sm_90 on)
 *
 * Two stages are double buffering. Each element goes through WORK / 2 dependent fused multiply-adds with
 * factors that the compiler does not know, a = -1 and b = 1: x becomes 1 - x and back. This is exact, because
 * inputs are multiples of 2^-24 below 1. A thread's result is the sum of the bits of its elements,
 * independent of their order. A thread uses vectors that another thread loaded, so that all variants need the
 * barriers. */
#include "bulk.cuh"
#include "device.cuh"
#if defined(variant_pipeline) || defined(variant_pipeline_thread)
#include <cuda/pipeline>
#elif defined(variant_barrier)
#include <cuda/barrier>
#endif

#ifndef BLOCK
#error "BLOCK is not defined"
#endif
#ifndef STAGES
#error "STAGES is not defined"
#endif
#ifndef TILE_BYTES
#error "TILE_BYTES is not defined"
#endif
#ifndef WORK
#error "WORK is not defined"
#endif

constexpr u32 VECTORS = TILE_BYTES / 16;              /* 16-byte vectors per tile */
constexpr u32 ROUNDS = (VECTORS + BLOCK - 1) / BLOCK; /* vectors per thread, rounded up */
constexpr bool EXACT = VECTORS % BLOCK == 0;          /* every thread has ROUNDS of them */
constexpr u32 BATCH = ROUNDS < 8 ? ROUNDS : 8;        /* loads in flight per thread (sync) */
constexpr u32 TENSOR_ROW = 1024;                      /* bytes per row of the tensor map */

/* STAGES tiles, then one mbarrier per tile (bulk, tensor, barrier) or the state of the pipeline. */
extern __shared__ __align__(128) uint4 ring[];

#if defined(variant_bulk) || defined(variant_tensor)

static __device__ __forceinline__ u32 barrier_of(u32 stage)
{
    return shared_address(ring + STAGES * VECTORS) + 8 * stage;
}

static __device__ __forceinline__ void prepare()
{
    if (threadIdx.x == 0) {
        for (u32 stage = 0; stage < STAGES; stage++)
            barrier_init(barrier_of(stage));
        asm volatile("fence.proxy.async.shared::cta;" ::
                         : "memory"); /* make the initialised barriers visible to the copies */
    }
    __syncthreads();
}

static __device__ __forceinline__ void await(u32 stage, u32 phase)
{
    barrier_wait(barrier_of(stage), phase);
}
#endif

#if defined(variant_tensor)
struct __align__(64) tensor_map
{
    u64 opaque[16];
};
#define SOURCE const __grid_constant__ tensor_map map
#define FROM   &map
typedef const tensor_map *source;

static __device__ __forceinline__ void start(source map, u64 tile, u32 stage)
{
    if (threadIdx.x == 0) {
        barrier_expect(barrier_of(stage), TILE_BYTES);
        asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(ring + stage * VECTORS)),
                     "l"(map), "r"(0), "r"((int)(tile * (TILE_BYTES / TENSOR_ROW))), "r"(barrier_of(stage))
                     : "memory");
    }
}

#else
#define SOURCE const uint4 *__restrict__ in
#define FROM   in
typedef const uint4 *__restrict__ source;

#if defined(variant_bulk)

static __device__ __forceinline__ void start(source in, u64 tile, u32 stage)
{
    if (threadIdx.x == 0)
        bulk_load(shared_address(ring + stage * VECTORS), in + tile * VECTORS, TILE_BYTES, barrier_of(stage));
}

#elif defined(variant_sync)

static __device__ __forceinline__ void prepare() {}

static __device__ __forceinline__ void start(source in, u64 tile, u32 stage)
{
    const uint4 *from = in + tile * VECTORS + threadIdx.x;
    uint4 *to = ring + threadIdx.x;
    for (u32 first = 0; first < ROUNDS; first += BATCH) {
        uint4 value[BATCH];
#pragma unroll
        for (u32 i = 0; i < BATCH; i++)
            if (EXACT && ROUNDS % BATCH == 0 || (first + i) * BLOCK + threadIdx.x < VECTORS)
                value[i] = __ldg(from + (first + i) * BLOCK);
#pragma unroll
        for (u32 i = 0; i < BATCH; i++)
            if (EXACT && ROUNDS % BATCH == 0 || (first + i) * BLOCK + threadIdx.x < VECTORS)
                to[(first + i) * BLOCK] = value[i];
    }
}

static __device__ __forceinline__ void await(u32 stage, u32 phase)
{
    __syncthreads();
}

#elif defined(variant_cp_async)

static __device__ __forceinline__ void prepare() {}

/* One group per tile; past the end an empty group, because `await` counts groups. */
static __device__ __forceinline__ void start(source in, u64 tile, u32 stage)
{
    const uint4 *from = in + tile * VECTORS + threadIdx.x;
    u32 to = shared_address(ring + stage * VECTORS + threadIdx.x);
#pragma unroll
    for (u32 i = 0; i < ROUNDS; i++)
        if (EXACT || i * BLOCK + threadIdx.x < VECTORS)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + i * BLOCK * 16),
                         "l"(from + i * BLOCK)
                         : "memory");
}
static __device__ __forceinline__ void commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
static __device__ __forceinline__ void await(u32 stage, u32 phase)
{
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 1) : "memory");
    __syncthreads();
}

#elif defined(variant_pipeline_thread)
#define PIPELINE , cuda::pipeline<cuda::thread_scope_thread> &pipe
#define PIPE     , pipe

static __device__ __forceinline__ void prepare() {}

static __device__ __forceinline__ void start(source in, u64 tile, u32 stage PIPELINE)
{
    const uint4 *from = in + tile * VECTORS + threadIdx.x;
    uint4 *to = ring + stage * VECTORS + threadIdx.x;
#pragma unroll
    for (u32 i = 0; i < ROUNDS; i++)
        if (EXACT || i * BLOCK + threadIdx.x < VECTORS)
            cuda::memcpy_async(to + i * BLOCK, from + i * BLOCK, cuda::aligned_size_t<16>(16), pipe);
}
static __device__ __forceinline__ void commit(cuda::pipeline<cuda::thread_scope_thread> &pipe)
{
    pipe.producer_commit();
}
static __device__ __forceinline__ void await(u32 stage, u32 phase PIPELINE)
{
    cuda::pipeline_consumer_wait_prior<STAGES - 1>(pipe);
    __syncthreads();
}

#elif defined(variant_pipeline) || defined(variant_barrier)

/* The block as a group, in the form that the library expects. */
struct block_group {
    __device__ void sync() const { __syncthreads(); }
    __device__ u32 size() const { return BLOCK; }
    __device__ u32 thread_rank() const { return threadIdx.x; }
};

#if defined(variant_pipeline)
#define PIPELINE , cuda::pipeline<cuda::thread_scope_block> &pipe
#define PIPE     , pipe

typedef cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> pipeline_state;
static_assert(sizeof(pipeline_state) <= 16 * STAGES + 16, "prefetch.c leaves this much room");

static __device__ __forceinline__ void prepare() {}

static __device__ __forceinline__ void start(source in, u64 tile, u32 stage PIPELINE)
{
    cuda::memcpy_async(block_group(), ring + stage * VECTORS, in + tile * VECTORS,
                       cuda::aligned_size_t<16>(TILE_BYTES), pipe);
}
static __device__ __forceinline__ void await(u32 stage, u32 phase PIPELINE)
{
    pipe.consumer_wait();
}

#else

typedef cuda::barrier<cuda::thread_scope_block> block_barrier;
static_assert(sizeof(block_barrier) == 8, "prefetch.c leaves this much room");

static __device__ __forceinline__ block_barrier *barriers()
{
    return (block_barrier *)(ring + STAGES * VECTORS);
}

static __device__ __forceinline__ void prepare()
{
    if (threadIdx.x == 0)
        for (u32 stage = 0; stage < STAGES; stage++)
            init(barriers() + stage, BLOCK);
    __syncthreads();
}
static __device__ __forceinline__ void start(source in, u64 tile, u32 stage)
{
    cuda::memcpy_async(block_group(), ring + stage * VECTORS, in + tile * VECTORS,
                       cuda::aligned_size_t<16>(TILE_BYTES), barriers()[stage]);
    (void)barriers()[stage].arrive();
}
static __device__ __forceinline__ void await(u32 stage, u32 phase)
{
    barriers()[stage].wait_parity(phase);
}
#endif

#else
#error "no variant_... is defined"
#endif
#endif

#ifndef PIPE
#define PIPE
#endif
#if defined(variant_cp_async)
#define COMMIT() commit()
#elif defined(variant_pipeline_thread)
#define COMMIT() commit(pipe)
#elif defined(variant_pipeline)
#define COMMIT() pipe.producer_commit()
#else
#define COMMIT() ((void)0)
#endif
#if defined(variant_pipeline) /* a stage is free when all threads have released it */
#define ACQUIRE() pipe.producer_acquire()
#define RELEASE() pipe.consumer_release()
#else
#define ACQUIRE() ((void)0)
#define RELEASE() __syncthreads()
#endif

static __device__ __forceinline__ u32 digest(float x, float a, float b)
{
#pragma unroll 16
    for (int i = 0; i < WORK / 2; i++)
        x = __fmaf_rn(x, a, b);
    return __float_as_uint(x);
}

/* The four elements of a vector are interleaved, so that their dependent chains overlap. */
static __device__ __forceinline__ u32 digest_vector(float4 x, float a, float b)
{
#pragma unroll 8
    for (int i = 0; i < WORK / 2; i++) {
        x.x = __fmaf_rn(x.x, a, b);
        x.y = __fmaf_rn(x.y, a, b);
        x.z = __fmaf_rn(x.z, a, b);
        x.w = __fmaf_rn(x.w, a, b);
    }
    return __float_as_uint(x.x) + __float_as_uint(x.y) + __float_as_uint(x.z) + __float_as_uint(x.w);
}

static __device__ __forceinline__ u32 consume(u32 stage, float a, float b)
{
    const float4 *tile = (const float4 *)(ring + stage * VECTORS);
    u32 sum = 0, mirrored = BLOCK - 1 - threadIdx.x;
#pragma unroll 4
    for (u32 i = 0; i < ROUNDS; i++)
        if (EXACT || i * BLOCK + mirrored < VECTORS)
            sum += digest_vector(tile[i * BLOCK + mirrored], a, b);
    return sum;
}

/* `tiles` whole tiles go through shared memory; the rest of the `elements` is read directly. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    prefetch(SOURCE, const float *__restrict__ all, u32 *__restrict__ out, u64 tiles, u64 elements, float a,
             float b)
{
#if defined(variant_pipeline_thread)
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
#elif defined(variant_pipeline)
    cuda::pipeline<cuda::thread_scope_block> pipe =
        cuda::make_pipeline(block_group(), (pipeline_state *)(ring + STAGES * VECTORS));
#endif
    u32 sum = 0, stage = 0, phase = 0;
    prepare();
#pragma unroll
    for (u32 s = 0; s < STAGES; s++) {
        u64 tile = blockIdx.x + (u64)s * gridDim.x;
        ACQUIRE();
        if (tile < tiles)
            start(FROM, tile, s PIPE);
        COMMIT();
    }
    for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        await(stage, phase PIPE);
        sum += consume(stage, a, b);
        RELEASE(); /* the stage is not refilled before all threads have used it */
        ACQUIRE();
        u64 next = tile + (u64)STAGES * gridDim.x;
        if (next < tiles)
            start(FROM, next, stage PIPE);
        COMMIT();
        if (++stage == STAGES) {
            stage = 0;
            phase ^= 1;
        }
    }
    u32 own = blockIdx.x * BLOCK + threadIdx.x;
    for (u64 i = tiles * (TILE_BYTES / 4) + own; i < elements; i += (u64)gridDim.x * BLOCK)
        sum += digest(all[i], a, b);
    out[own] = sum;
}
