/* contention - the messages of a device, and the work beside them, each by blocks of its own.
 *
 *   load, store            a block copies a share of one message of this device: load pulls, store pushes
 *   bulk_load, bulk_store  the same by bulk copies through shared memory (bulk_stream.cuh)
 *   copy_engine            the driver copies the messages; the kernel is the work alone
 *
 * With measured_link the work is repeated until this device's messages have arrived, with measured_work the
 * messages until its work is done. Blocks of the part that is measured come first, so that no block waits for
 * one that has not begun. What is repeated copies the same bytes again; the sums of products are stored after
 * the first time. */
#define TILE_BYTES 8192 /* of bulk copies, as in contention.c */
#define STAGES     4
#include "bulk_stream.cuh"
#include "device.cuh"

#if !defined(beside_none) && !defined(beside_local_copy) && !defined(beside_matmul)
#error "no beside_... is defined"
#endif
#if !defined(measured_link) && !defined(measured_work) && !defined(measured_both)
#error "no measured_... is defined"
#endif
#if !defined(variant_copy_engine) && !defined(variant_load) && !defined(variant_store) &&                    \
    !defined(variant_bulk_load) && !defined(variant_bulk_store)
#error "no variant_... is defined"
#endif

#if defined(variant_bulk_load) || defined(variant_bulk_store)
#define BULK 1
#else
#define BULK 0
#endif

enum {
    THREADS = 512, /* as in contention.c */
    ITEMS = 4,     /* accesses in flight per thread */
    STEP = 16,     /* bytes of an access */
    PARTS = 8,
    CHAINS = 4,
};
#define LONGEST 1000000000ull /* ns: a part is repeated no longer, if the other does not end */

/* Of each part of the point. On one device several parts may run at the same time. `stop` is set by the
 * driver, behind its copies. */
__device__ u32 ended[PARTS], gone[PARTS], stop[PARTS];

/* When to leave off what is repeated. */
struct until {
    volatile const u32 *count;
    u32 value;
    u64 latest;
};

static __device__ __forceinline__ u64 nanoseconds()
{
    u64 now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

static __device__ __forceinline__ bool is_over(const until &end)
{
    return *end.count >= end.value;
}

/* A share of a copy. WATCHED: it stops halfway when `end` is over. */
template <bool WATCHED>
static __device__ __forceinline__ void copy_share(const u8 *__restrict__ in, u8 *__restrict__ out, u64 bytes,
                                                  u32 block, u32 blocks, const until &end)
{
    const uint4 *__restrict__ from = (const uint4 *)in;
    uint4 *__restrict__ to = (uint4 *)out;
    const u64 count = bytes / STEP, step = (u64)blocks * (THREADS * ITEMS);
#pragma unroll 1
    for (u64 first = (u64)block * (THREADS * ITEMS) + threadIdx.x; first < count; first += step) {
        if (WATCHED && is_over(end))
            return;
        uint4 value[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            if (first + i * THREADS < count)
                value[i] = from[first + i * THREADS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            if (first + i * THREADS < count)
                to[first + i * THREADS] = value[i];
    }
}

/* ---- Messages ---- */

/* Where a device's other ends are, and what there is to copy. */
struct exchange {
    const u8 *in;
    u8 *out;
    u8 *other[PARTS];
    u64 sends, receives, bytes;
    u32 part, ends;
};

static __device__ __forceinline__ u32 mask_of(u64 flows, u32 device)
{
    return (u32)(flows >> 8 * device) & 0xff;
}

static __device__ __forceinline__ u32 slots_before(u32 mask, u32 bit)
{
    return __popc(mask & ((1u << bit) - 1));
}

#ifndef variant_copy_engine
static __device__ __forceinline__ u32 flows_of(const exchange &x)
{
#if defined(variant_load) || defined(variant_bulk_load)
    return mask_of(x.receives, x.part);
#else
    return mask_of(x.sends, x.part);
#endif
}

/* This block's share of one of the messages, which the blocks take in turns. */
static __device__ __forceinline__ void copy_message(const exchange &x, u32 block, u32 blocks, bool repeats,
                                                    const until &end)
{
    u32 mask = flows_of(x), count = __popc(mask), flow = block % count;
    for (u32 i = 0; i < flow; i++)
        mask &= mask - 1;
    const u32 further = __ffs(mask) - 1, device = (x.part + further) % x.ends, back = x.ends - further;
    const u8 *other = x.other[1];
#pragma unroll
    for (u32 i = 2; i < PARTS; i++)
        other = further == i ? x.other[i] : other;
#if defined(variant_load) || defined(variant_bulk_load)
    const u8 *from = other + slots_before(mask_of(x.sends, device), back) * x.bytes;
    u8 *to = x.out + flow * x.bytes;
#else
    const u8 *from = x.in + flow * x.bytes;
    u8 *to = (u8 *)other + slots_before(mask_of(x.receives, device), back) * x.bytes;
#endif
#if BULK
    if (threadIdx.x < 32)
        bulk_stream_share(from, to, x.bytes, 0, block / count, blocks / count);
#else
    copy_share<false>(from, to, x.bytes, block / count, blocks / count, end);
    while (repeats && !is_over(end) && nanoseconds() < end.latest)
        copy_share<true>(from, to, x.bytes, block / count, blocks / count, end);
#endif
}
#endif

/* ---- Work ---- */

#ifdef beside_matmul
/* A whole number from -2 to 2 as half precision. */
static __device__ __forceinline__ u32 half_of(u32 value_plus_2)
{
    if (value_plus_2 == 0)
        return 0xc000;
    if (value_plus_2 == 1)
        return 0xbc00;
    if (value_plus_2 == 2)
        return 0;
    return value_plus_2 == 3 ? 0x3c00 : 0x4000;
}

static __device__ __forceinline__ u32 left_pair(u32 row, u32 k)
{
    return half_of((row + 3 * k) % 5) | half_of((row + 3 * k + 3) % 5) << 16;
}

static __device__ __forceinline__ u32 right_pair(u32 k, u32 column)
{
    return half_of((2 * k + column) % 5) | half_of((2 * k + 2 + column) % 5) << 16;
}

/* d += a b, of 16 x 16 and 16 x 8 elements ("Matrix Fragments for mma.m16n8k16" in the PTX ISA). */
static __device__ __forceinline__ void multiply(float *d, const u32 *a, const u32 *b)
{
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

static __device__ __forceinline__ void do_work(const u8 *, u8 *out, u64 products, u32 block, u32,
                                               bool repeats, const until &end)
{
    const u32 lane = threadIdx.x % 32, row = lane / 4, k = lane % 4 * 2;
    const u32 a[4] = {left_pair(row, k), left_pair(row + 8, k), left_pair(row, k + 8),
                      left_pair(row + 8, k + 8)};
    const u32 b[2] = {right_pair(k, row), right_pair(k + 8, row)}; /* column lane / 4 */
    float d[CHAINS][4] = {};
#pragma unroll 1
    for (u64 i = 0; i < products; i++)
#pragma unroll
        for (int c = 0; c < CHAINS; c++)
            multiply(d[c], a, b);
    ((float4 *)out)[(u64)block * THREADS + threadIdx.x] =
        make_float4(d[0][0] + d[1][0] + d[2][0] + d[3][0], d[0][1] + d[1][1] + d[2][1] + d[3][1],
                    d[0][2] + d[1][2] + d[2][2] + d[3][2], d[0][3] + d[1][3] + d[2][3] + d[3][3]);
#pragma unroll 1
    while (repeats && !__any_sync(~0u, is_over(end)) && nanoseconds() < end.latest)
#pragma unroll 1
        for (int i = 0; i < 16; i++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++)
                multiply(d[c], a, b);
}
#elif defined(beside_local_copy)
static __device__ __forceinline__ void do_work(const u8 *in, u8 *out, u64 bytes, u32 block, u32 blocks,
                                               bool repeats, const until &end)
{
    copy_share<false>(in, out, bytes, block, blocks, end);
    while (repeats && !is_over(end) && nanoseconds() < end.latest)
        copy_share<true>(in, out, bytes, block, blocks, end);
}
#endif

/* ---- The launch ---- */

/* A block of the measured part has ended; the last block of all makes ready for the next launch. */
static __device__ __forceinline__ void leave(u32 part, bool measured)
{
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    __threadfence();
    if (measured)
        atomicAdd(&ended[part], 1);
    if (atomicAdd(&gone[part], 1) == gridDim.x - 1) {
        ended[part] = gone[part] = stop[part] = 0;
        __threadfence();
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    contention(const u8 *in, u8 *out, u8 *o1, u8 *o2, u8 *o3, u8 *o4, u8 *o5, u8 *o6, u8 *o7, u64 sends,
               u64 receives, u32 part, u32 ends, u64 bytes, u64 work, u32 link_blocks)
{
    const exchange x = {in, out, {0, o1, o2, o3, o4, o5, o6, o7}, sends, receives, bytes, part, ends};
    const u32 work_blocks = gridDim.x - link_blocks;
#ifdef measured_work
    const bool works = blockIdx.x < work_blocks;
    const u32 block = works ? blockIdx.x : blockIdx.x - work_blocks;
    const until end = {&ended[part], work_blocks, nanoseconds() + LONGEST};
    const bool repeats = !works;
#else
    const bool works = blockIdx.x >= link_blocks;
    const u32 block = works ? blockIdx.x - link_blocks : blockIdx.x;
#ifdef variant_copy_engine
    const until end = {&stop[part], 1, nanoseconds() + LONGEST};
#else
    const until end = {&ended[part], link_blocks, nanoseconds() + LONGEST};
#endif
#ifdef measured_link
    const bool repeats = works;
#else
    const bool repeats = false;
#endif
#endif
#ifndef variant_copy_engine
    if (!works)
        copy_message(x, block, link_blocks, repeats, end);
#endif
#ifndef beside_none
    if (works)
        do_work(in + __popc(mask_of(sends, part)) * bytes, out + __popc(mask_of(receives, part)) * bytes,
                work, block, work_blocks, repeats, end);
#endif
#ifdef beside_none
    (void)work, (void)repeats; /* nothing waits for anything */
#else
    leave(part, !repeats);
#endif
}
