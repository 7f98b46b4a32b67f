/* cluster - what a thread-block cluster gives and costs (sm_90 on).
 *
 *   latency    a pointer chase in the shared memory of the block `neighbour` away: one thread of one cluster
 *   read       all threads read shared memory of blocks of the cluster; write: store there; atomic: add there
 *   sync       barriers of the cluster, one after the other, that order accesses to memory; sync_relaxed:
 *              that only wait
 *   multicast  bulk copies of tiles from global memory to all blocks of the cluster: each block loads a part
 *              of a tile for all
 *   bulk       the same tiles, which each block loads whole for itself
 *
 * Whose memory it is: of the block `neighbour` ranks further (ring), of each block of the cluster in turn
 * (all_to_all), or of the first block (broadcast). Every access has the form of an access to another block's
 * memory, also if that is the block's own, as in a cluster of one.
 *
 * A round is a fixed amount of work for each block of a cluster. Clusters take rounds from a counter until
 * none is left: how many of them fit on the device at once is not known before, and those that start late
 * would double the time. What a round writes depends on its number and not on who does it. */
#include "bulk.cuh"
#include "chase.cuh"

#ifndef CLUSTER
#error "CLUSTER is not defined"
#endif
#ifndef BLOCK
#error "BLOCK is not defined"
#endif
#ifndef WIDTH
#error "WIDTH is not defined"
#endif
#if !defined(variant_latency) && !defined(variant_read) && !defined(variant_write) &&                        \
    !defined(variant_atomic) && !defined(variant_sync) && !defined(variant_sync_relaxed) &&                  \
    !defined(variant_multicast) && !defined(variant_bulk)
#error "no variant_... is defined"
#endif

enum {
    WORDS = WIDTH / 4,
    UNROLL = 16,  /* accesses or barriers in a row; all of this as in cluster.c */
    BATCH = 8,    /* loads in flight: more do not fit in registers */
    REPEATS = 16, /* of those, in a round */
    HOPS = 64,    /* loads of a chase between two readings of the clock */
    GROUPS = 1024,
    TILES = 256,    /* tiles of a round */
    DISTINCT = 128, /* tiles in global memory */
    STAGES = 4,     /* tiles in shared memory */
};

extern __shared__ __align__(128) u32 shared[];

static __device__ __forceinline__ u32 rank()
{
    u32 number;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(number));
    return number;
}

/* A barrier of all threads of the cluster. What they wrote to its shared memory before is visible after
 * it. */
static __device__ __forceinline__ void meet()
{
    asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
}

/* The address, in all of the cluster's shared memory, of this address of block `owner`. */
[[maybe_unused]] static __device__ __forceinline__ u32 beyond(u32 address, u32 owner)
{
    u32 there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(owner));
    return there;
}

[[maybe_unused]] static __device__ __forceinline__ void put(u32 there, u32 value)
{
    asm volatile("st.relaxed.cluster.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(value) : "memory");
}

/* ---- accesses to the cluster's shared memory ---- */

struct words {
    u32 part[WORDS];
};

[[maybe_unused]] static __device__ __forceinline__ void load_words(u32 there, words &value)
{
#if WIDTH == 4
    asm volatile("ld.relaxed.cluster.shared::cluster.u32 %0, [%1];"
                 : "=r"(value.part[0])
                 : "r"(there)
                 : "memory");
#elif WIDTH == 8
    asm volatile("ld.relaxed.cluster.shared::cluster.v2.u32 {%0, %1}, [%2];"
                 : "=r"(value.part[0]), "=r"(value.part[1])
                 : "r"(there)
                 : "memory");
#elif WIDTH == 16
    asm volatile("ld.relaxed.cluster.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.part[0]), "=r"(value.part[1]), "=r"(value.part[2]), "=r"(value.part[3])
                 : "r"(there)
                 : "memory");
#else
#error "WIDTH is none of 4, 8 and 16"
#endif
}

/* Volatile: the assembler joins relaxed stores of one value to one address. */
[[maybe_unused]] static __device__ __forceinline__ void store_words(u32 there, const words &value)
{
#if WIDTH == 4
    asm volatile("st.volatile.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(value.part[0]) : "memory");
#elif WIDTH == 8
    asm volatile("st.volatile.shared::cluster.v2.u32 [%0], {%1, %2};" ::"r"(there), "r"(value.part[0]),
                 "r"(value.part[1])
                 : "memory");
#else
    asm volatile("st.volatile.shared::cluster.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(there),
                 "r"(value.part[0]), "r"(value.part[1]), "r"(value.part[2]), "r"(value.part[3])
                 : "memory");
#endif
}

[[maybe_unused]] static __device__ __forceinline__ u32 sum_of(const words &value)
{
    u32 sum = 0;
#pragma unroll
    for (int i = 0; i < WORDS; i++)
        sum += value.part[i];
    return sum;
}

#if defined(variant_read) || defined(variant_write) || defined(variant_atomic)

/* Whose memory access `i` of block `own` goes to. */
static __device__ __forceinline__ u32 owner_of(u32 own, [[maybe_unused]] u32 i, [[maybe_unused]] u32 distance)
{
#if defined(pattern_ring)
    return (own + distance) % CLUSTER;
#elif defined(pattern_all_to_all)
    return (own + i) % CLUSTER;
#elif defined(pattern_broadcast)
    return 0;
#else
#error "no pattern_... is defined"
#endif
}

#if defined(pattern_all_to_all)
enum { OWNERS = CLUSTER < UNROLL ? CLUSTER : UNROLL };
#else
enum { OWNERS = 1 };
#endif

/* The result of a round in this thread: the sum of what it has read, or of what has arrived in its own words.
 * `mine`: its words, here filled with zeros for writes and additions, and otherwise with `value` plus the
 * block's rank. */
static __device__ __forceinline__ u32 access_round(u32 mine, const words &value, u32 distance)
{
    u32 there[OWNERS], sum = 0;
    words own = value;
#pragma unroll
    for (u32 i = 0; i < OWNERS; i++)
        there[i] = beyond(mine, owner_of(rank(), i, distance));
#pragma unroll
    for (int i = 0; i < WORDS; i++)
#if defined(variant_read)
        own.part[i] += rank();
#else
        own.part[i] = 0;
#endif
    store_words(beyond(mine, rank()), own);
    meet();
#pragma unroll 1
    for (int repeat = 0; repeat < REPEATS; repeat++) {
#if defined(variant_read)
#pragma unroll
        for (int first = 0; first < UNROLL; first += BATCH) {
            words got[BATCH];
#pragma unroll
            for (int i = 0; i < BATCH; i++)
                load_words(there[(first + i) % OWNERS], got[i]);
#pragma unroll
            for (int i = 0; i < BATCH; i++)
                sum += sum_of(got[i]);
        }
#elif defined(variant_write)
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            store_words(there[i % OWNERS], value);
#elif defined(variant_atomic)
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(there[i % OWNERS]),
                         "r"(value.part[0])
                         : "memory");
#endif
    }
    meet();
#if !defined(variant_read)
    load_words(beyond(mine, rank()), own);
    sum = sum_of(own);
#endif
    return sum;
}

#endif

/* ---- barriers ---- */

#if defined(variant_sync) || defined(variant_sync_relaxed)

/* A barrier that orders accesses to memory, or one that only waits. */
static __device__ __forceinline__ void meet_timed()
{
#ifdef variant_sync
    meet();
#else
    asm volatile("barrier.cluster.arrive.relaxed;\n\tbarrier.cluster.wait;" ::: "memory");
#endif
}

/* Barriers between a word for the next block and its arrival, which a last one orders. The first thread of
 * the cluster reads its clock. */
static __device__ __forceinline__ u32 sync_round(u32 mine, u32 word, u32 number, u32 *cycles, u32 zero)
{
    words got;
    put(beyond(mine, (rank() + 1) % CLUSTER), word + number + rank());
#pragma unroll 1
    for (u32 repeat = 0; repeat < REPEATS; repeat++) {
        const u64 begin = clock_after(zero, 1);
#pragma unroll
        for (int i = 0; i < UNROLL; i++)
            meet_timed();
        const u64 end = clock_after(zero, 1);
        if (rank() == 0 && threadIdx.x == 0 && number * REPEATS + repeat < GROUPS)
            cycles[number * REPEATS + repeat] = (u32)(end - begin);
    }
    meet();
    load_words(beyond(mine, rank()), got);
    return got.part[0];
}
#endif

/* ---- bulk copies ---- */

#if defined(variant_multicast) || defined(variant_bulk)

/* Each block loads `PARTS`th parts of tiles, for all blocks, or whole tiles for itself. */
#ifdef variant_multicast
enum { PARTS = CLUSTER };
#else
enum { PARTS = 1 };
#endif

/* Barriers of the stages: bytes have arrived, and all who write to this block's stage may do so again. */
static __device__ __forceinline__ u32 full_of(u32 stage)
{
    return shared_address(shared) + 16 * stage;
}
static __device__ __forceinline__ u32 empty_of(u32 stage)
{
    return full_of(stage) + 8;
}

static __device__ __forceinline__ void copy_part(u32 to, const void *from, u32 bytes, u32 barrier)
{
#ifdef variant_multicast
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
                 " [%0], [%1], %2, [%3], %4;" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier), "h"((u16)((1u << CLUSTER) - 1))
                 : "memory");
#else
    bulk_copy(to, from, bytes, barrier);
#endif
}

/* This block has done with the stage: tell all who write to it. Nothing was written that others would have to
 * see. A release for the whole cluster would wait for that, in a MEMBAR.ALL.GPU for each arrival. */
static __device__ __forceinline__ void release(u32 stage)
{
#pragma unroll 1
    for (u32 i = 0; i < PARTS; i++) {
        const u32 there = beyond(empty_of(stage), PARTS == 1 ? rank() : i);
        asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
    }
}

static __device__ __forceinline__ void copies_init()
{
    if (threadIdx.x == 0) {
        for (u32 stage = 0; stage < STAGES; stage++) {
            barrier_init(full_of(stage));
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(empty_of(stage)), "r"((u32)PARTS)
                         : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
}

/* Tiles of round `number`: the first warp asks for them, the second one waits for them and gives the stages
 * back. `before`: tiles of earlier rounds of this cluster. Returns the sum of the words of the last tiles
 * that this thread reads. */
static __device__ __forceinline__ u32 copy_round(const char *in, u32 size, u32 number, u64 before)
{
    const u32 first = shared_address(shared) + 128, part = size / PARTS, own = PARTS == 1 ? 0 : rank();
    u32 sum = 0;
    if (threadIdx.x == 0) {
#pragma unroll 1
        for (u32 i = 0; i < TILES; i++) {
            const u64 turn = before + i;
            const u32 stage = turn % STAGES, tile = (number * 7 + i) % DISTINCT;
            if (turn >= STAGES)
                barrier_wait(empty_of(stage), (turn / STAGES - 1) % 2);
            barrier_expect(full_of(stage), size);
            copy_part(first + stage * size + own * part, in + (u64)tile * size + own * part, part,
                      full_of(stage));
        }
    } else if (threadIdx.x == 32) {
#pragma unroll 1
        for (u32 i = 0; i < TILES; i++) {
            const u64 turn = before + i;
            barrier_wait(full_of(turn % STAGES), turn / STAGES % 2);
            release(turn % STAGES);
        }
    }
    __syncthreads();
    for (u32 stage = 0; stage < STAGES; stage++) /* all have arrived: now they are visible to each thread */
        barrier_wait(full_of(stage), ((before + TILES - 1) / STAGES) % 2);
    for (u32 word = threadIdx.x; word < STAGES * size / 4; word += BLOCK)
        sum += shared[32 + word];
    return sum;
}
#endif

/* ---- a chase ---- */

#if defined(variant_latency)
static __device__ __forceinline__ u64 next(u64 at)
{
    asm volatile("ld.u64 %0, [%0];" : "+l"(at)::"memory");
    return at;
}

/* The ring is built in the memory of the block `neighbour` away, by the block that chases through it. */
static __device__ __forceinline__ void chase(const u32 *offsets, u32 *out, u32 *cycles, u32 slots, u32 step,
                                             u32 distance)
{
    u64 origin;
    asm("mapa.u64 %0, %1, %2;" : "=l"(origin) : "l"(shared), "r"(distance % CLUSTER));
    for (u32 i = threadIdx.x; i < slots; i += BLOCK)
        *(volatile u64 *)(origin + (u64)i * step) = origin + offsets[i];
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    u64 at = origin;
#pragma unroll 1
    for (int group = 0; group < GROUPS; group++) {
        const u64 begin = clock_after(at, 1);
#pragma unroll
        for (int i = 0; i < HOPS; i++)
            at = next(at);
        cycles[group] = (u32)(clock_after(at, 1) - begin);
    }
    *out = (u32)(at - origin);
}
#endif

/* The number of the next round, the same in all blocks of the cluster. The last cluster that asks in vain
 * resets the counter. */
[[maybe_unused]] static __device__ __forceinline__ u32 take_round(u32 *counter, u32 rounds, u32 slot)
{
    if (rank() == 0 && threadIdx.x == 0) {
        const u32 taken = atomicInc(counter, rounds + gridDim.x / CLUSTER - 1);
        for (u32 i = 0; i < CLUSTER; i++)
            put(beyond(slot, i), taken);
    }
    meet();
    u32 number;
    asm volatile("ld.relaxed.cluster.shared::cluster.u32 %0, [%1];" : "=r"(number) : "r"(slot) : "memory");
    return number;
}

#ifdef variant_latency
#define RESIDENT 1
#else
#define RESIDENT (BLOCK < 1024 ? 1024 / BLOCK : 1)
#endif

/* `in`: words for each thread, a ring of `slots` offsets, or tiles. `size`: bytes of a tile, or from slot to
 * slot of the ring. `counter`: 0 before and after. `zero`: 0, which the compiler does not know. */
extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(BLOCK, RESIDENT)
    cluster([[maybe_unused]] const u32 *in, u32 *counter, u32 *out, [[maybe_unused]] u32 *cycles, u32 rounds,
            [[maybe_unused]] u32 size, [[maybe_unused]] u32 slots, [[maybe_unused]] u32 distance,
            [[maybe_unused]] u32 zero)
{
#if defined(variant_latency)
    meet(); /* all blocks have started: their shared memory exists from here on */
    if (rank() == 0)
        chase(in, out, cycles, slots, size, distance);
    meet(); /* and up to here */
#else
    __shared__ u32 round;
    [[maybe_unused]] u64 taken = 0;
#if defined(variant_multicast) || defined(variant_bulk)
    copies_init();
#else
    const u32 mine = shared_address(shared) + threadIdx.x * WIDTH;
    words value;
#pragma unroll
    for (int i = 0; i < WORDS; i++)
        value.part[i] = in[threadIdx.x * WORDS + i];
#endif
    meet();
    for (;;) {
        const u32 number = take_round(counter, rounds, shared_address(&round));
        if (number >= rounds)
            break;
#if defined(variant_sync) || defined(variant_sync_relaxed)
        const u32 result = sync_round(mine, value.part[0], number, cycles, zero);
#elif defined(variant_multicast) || defined(variant_bulk)
        const u32 result = copy_round((const char *)in, size, number, taken * TILES);
        taken++;
#else
        const u32 result = access_round(mine, value, distance);
#endif
        out[((u64)number * CLUSTER + rank()) * BLOCK + threadIdx.x] = result;
        meet(); /* all have read the number of the round, and their words */
    }
#endif
}
