/* dram_channels - streams at a distance from each other, all read or written at once.
 *
 *   read    all streams are read; each warp writes the sum of its words, so that the loads are needed
 *   write   all are written: each word with a number made of its place
 *   mixed   the last `written` of them are written, in an array of their own, the others read
 *
 * A stream is cut into bursts. Burst c of every stream comes before burst c + 1 of any, and the warps of the
 * grid take requests in this order: at any time the device is at about the same place of each stream. A
 * request is one instruction of a warp, of WIDTH bytes per lane. Position p of stream s lies in unit p /
 * distance, after those of all streams before it:
 *
 *   address = (p / distance) * streams * pitch + s * pitch + p % distance        pitch = distance + skew
 *
 * Units of `distance` bytes thus alternate between the streams, and with skew 0 they cover the array without
 * a gap. All sizes but skew are powers of two: their logarithms are given. */
#define BLOCK 256 /* threads of a block */
#include "device.cuh"
#include "sum.cuh"

#if !defined(WIDTH) || !defined(ITEMS)
#error "WIDTH or ITEMS is not defined"
#endif

enum { WORDS = WIDTH / 4, REQUEST = 32 * WIDTH };

struct __align__(WIDTH) access
{
    u32 word[WORDS];
};

/* `streams`, `burst` and `unit` are logarithms, the latter two in requests; `pitch` in bytes. */
struct layout {
    u32 streams, burst, unit, pitch;
    u32 written; /* streams, not a logarithm */
};

struct request {
    u32 stream;
    u32 position; /* in its stream, in requests */
};

/* In 32 bits as far as possible: a request of 4 bytes per lane has few cycles for its address. */
static __device__ __forceinline__ request request_of(u32 number, const layout &at)
{
    const u32 burst = number >> at.burst, in_burst = number & ((1u << at.burst) - 1);
    return {burst & ((1u << at.streams) - 1), (burst >> at.streams << at.burst) + in_burst};
}

/* Of this lane, in bytes from the start of an array of `streams` streams. */
static __device__ __forceinline__ u64 address_of(u32 stream, u32 position, u32 streams, const layout &at)
{
    const u32 in_unit = (position & ((1u << at.unit) - 1)) * REQUEST + threadIdx.x % 32 * WIDTH;
    return (u64)((position >> at.unit) * streams + stream) * at.pitch + in_unit;
}

#if defined(variant_read)
enum { READS = 1, WRITES = 0 };
#elif defined(variant_write)
enum { READS = 0, WRITES = 1 };
#elif defined(variant_mixed)
enum { READS = 1, WRITES = 1 };
#else
#error "no variant_... is defined"
#endif

/* COUNT requests, `step` apart: the loads among them, then the stores. Returns the sum of the words read. */
template <int COUNT>
static __device__ __forceinline__ u32 requests_from(const u8 *in, u8 *out, u32 first, u32 step,
                                                    const layout &at)
{
    const u32 streams = 1u << at.streams, written = WRITES ? at.written : 0,
              read = READS ? streams - written : 0;
    access value[COUNT] = {};
    u32 sum = 0;
    if (READS)
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            const request r = request_of(first + i * step, at);
            if (!WRITES || r.stream < read) /* a branch of the whole warp */
                value[i] = *(const access *)(in + address_of(r.stream, r.position, read, at));
        }
    if (WRITES)
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            const request r = request_of(first + i * step, at);
            if (READS && r.stream < read)
                continue;
            const u64 address = address_of(r.stream - read, r.position, streams - read, at);
            access made;
#pragma unroll
            for (int word = 0; word < WORDS; word++)
                made.word[word] = ((u32)(address / 4) + word) * 2654435761u;
            *(access *)(out + address) = made;
        }
#pragma unroll
    for (int i = 0; i < COUNT; i++)
#pragma unroll
        for (int word = 0; word < WORDS; word++)
            sum += value[i].word[word];
    return sum;
}

/* `sums` has one word for each warp of the grid. */
extern "C" __global__ void __launch_bounds__(BLOCK, 1024 / BLOCK)
    dram_channels(const u8 *__restrict__ in, u8 *__restrict__ out, u32 *__restrict__ sums, u32 requests,
                  u32 streams_log, u32 burst_log, u32 unit_log, u32 pitch, u32 written)
{
    const layout at = {streams_log, burst_log, unit_log, pitch, written};
    const u32 warp = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32, warps = gridDim.x * (BLOCK / 32);
    u32 sum = 0, next = warp;
#pragma unroll 1
    for (; next + (ITEMS - 1) * warps < requests; next += ITEMS * warps)
        sum += requests_from<ITEMS>(in, out, next, warps, at);
    if (ITEMS > 1)
#pragma unroll 1
        for (; next < requests; next += warps)
            sum += requests_from<1>(in, out, next, warps, at);
    if (READS) {
        sum = warp_sum_by_shuffle(sum);
        if (threadIdx.x % 32 == 0)
            sums[warp] = sum;
    }
}
