/* latency - a pointer chase through each level of memory. Device code: latency.cu.
 *
 * `size` is the footprint: a ring of size / hop slots. Slot i holds the byte offset of slot (a * i + c) mod
 * n, a linear congruential generator of full period by Hull & Dobell's theorem (n a power of two, c odd, a =
 * 1 mod 4): the chase visits every slot once a lap, and each launch goes on where the last one stopped. The
 * columns latency_p05, _p50 and _p95 are percentiles over the groups of `hops` loads, each divided by `hops`.
 */
#include "family/rules.h"

#include <stdio.h>

#include "kernels/ring.h"

extern const char latency_source[], latency_claims[];

static const char *const variants[] = {"shared", "l1", "l2", "dram", "constant", "dsmem", NULL};
enum variant { SHARED, L1, L2, DRAM, CONSTANT, DSMEM };
static const char *const through_words[] = {"load", "bulk", NULL};
enum through { BY_LOAD, BY_BULK };

enum { VARIANT, SIZE, HOP, HOPS, THROUGH, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "l1"),
    [SIZE] = AXIS_SIZE("32KiB"),
    [HOP] = {.name = "hop",
             .kind = AXIS_BYTES,
             .unit = "bytes",
             .summary = "distance between slots of the ring",
             .standard = "128",
             .least = 8,
             .most = 2 << 20},
    [HOPS] =
        AXIS_NUMBER("hops", "hops", "dependent loads between two readings of the clock", "64", 1, 256, true),
    [THROUGH] = {.name = "through",
                 .kind = AXIS_WORD,
                 .unit = "",
                 .summary = "what brings the next address: a load, or a bulk copy (TMA) to shared memory",
                 .standard = "load",
                 .words = through_words,
                 .compiled = true,
                 .late = true},
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

#define THREADS        512
#define LINE           128 /* bytes of a cache line */
#define BULK           16  /* bytes of a bulk copy, and what it is aligned to */
#define CONSTANT_BYTES (64 << 10)
#define OFFSETS_REACH  (UINT64_C(1) << 32)

enum { RING, OWN, CURSOR, LAST, CYCLES, BUFFERS };

static uint64_t hops_of(const struct point *point)
{
    return RING_GROUPS * (uint64_t)point->value[HOPS];
}

static const char *skip_dram(const struct point *point, const struct target *target, char *reason,
                             size_t size)
{
    uint64_t footprint = (uint64_t)point->value[SIZE], hop = (uint64_t)point->value[HOP];
    if (point->value[CACHE] != CACHE_COLD)
        return "the lines of the last launch are in L2 unless it is flushed: dram is for cache cold";
    if (hop < LINE)
        snprintf(reason, size, "slots of %d bytes share a line of %d, which the next hop there finds in L2",
                 (int)hop, LINE);
    else if (target->l2_bytes && footprint < 4 * target->l2_bytes)
        snprintf(reason, size, "a ring of %.4g MiB is not far larger than L2, which has %.4g MiB",
                 (double)footprint / 0x1p20, (double)target->l2_bytes / 0x1p20);
    else if (target->l2_bytes && footprint / hop < hops_of(point))
        snprintf(reason, size, "%llu hops over %llu slots meet lines again, which are in L2 by then",
                 (unsigned long long)hops_of(point), (unsigned long long)(footprint / hop));
    else
        return NULL;
    return reason;
}

/* Bulk copies bypass L1, and their source is global memory. */
static const char *skip_bulk(const struct point *point, const struct target *target, char *reason,
                             size_t size)
{
    if (point->value[VARIANT] != L2 && point->value[VARIANT] != DRAM)
        return "bulk copies read global memory and bypass L1: through=bulk is for l2 and dram";
    if (point->value[HOP] < BULK)
        snprintf(reason, size, "slots of %d bytes are smaller than a bulk copy, which has %d",
                 (int)point->value[HOP], BULK);
    else
        return rules_capability("a bulk copy", 90, point, target, reason, size);
    return reason;
}

/* What the level has room for; 0: not known. */
static uint64_t room_of(const struct point *point, const struct target *target)
{
    switch ((enum variant)point->value[VARIANT]) {
    case SHARED:
    case DSMEM:
        return target->shared_bytes;
    case L1:
        return target->shared_sm_bytes; /* what L1 and shared memory share: all of it L1's here */
    case CONSTANT:
        return CONSTANT_BYTES;
    default:
        return 0;
    }
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    uint64_t footprint = (uint64_t)point->value[SIZE], hop = (uint64_t)point->value[HOP];
    uint64_t room = room_of(point, target);
    if (target->host)
        return "the latencies of a processor's caches are not those of a GPU: nothing to chase on the host";
    if (!ring_is_power_of_two(footprint) || !ring_is_power_of_two(hop))
        return "the ring's order needs a power of two of slots, and of bytes from one to the next";
    if (point->value[VARIANT] == DSMEM && rules_capability("dsmem", 90, point, target, reason, size))
        return reason;
    if (point->value[THROUGH] == BY_BULK && skip_bulk(point, target, reason, size))
        return skip_bulk(point, target, reason, size);
    if (footprint > OFFSETS_REACH)
        return "offsets have 32 bits: the ring has at most 4GiB";
    if (footprint < hop)
        snprintf(reason, size, "a ring of %llu bytes has no slot of %llu", (unsigned long long)footprint,
                 (unsigned long long)hop);
    else if (point->value[VARIANT] == DRAM)
        return skip_dram(point, target, reason, size);
    else if (room && footprint > room)
        snprintf(reason, size, "a ring of %llu bytes does not stay in %s, which has room for %llu",
                 (unsigned long long)footprint, variants[point->value[VARIANT]], (unsigned long long)room);
    else
        return NULL;
    return reason;
}

static uint64_t slots_of(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / (uint64_t)point->value[HOP];
}

/* Words of the input from one slot's offset to the next one's: those that constant memory gets lie as they
 * are chased, all others close together. */
static uint64_t spacing_of(const struct point *point)
{
    return point->value[VARIANT] == CONSTANT ? (uint64_t)point->value[HOP] / 4 : 1;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    (void)target;
    bool beyond = point->value[VARIANT] == DSMEM, shared = beyond || point->value[VARIANT] == SHARED;
    bool constant = point->value[VARIANT] == CONSTANT;
    uint64_t words = (uint64_t)point->value[SIZE] / 8;
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "latency",
        .buffer =
            {[RING] = {.name = "ring",
                       .role = BUFFER_INPUT,
                       .dtype = DTYPE_I32,
                       .count = slots_of(point) * spacing_of(point),
                       .fill = ring_fill((uint64_t)point->value[SIZE], (uint64_t)point->value[HOP],
                                         spacing_of(point))},
             [OWN] = {.name = "own",
                      .role = BUFFER_SCRATCH,
                      .dtype = DTYPE_I64,
                      .count = shared || constant ? 1 : words},
             [CURSOR] = {.name = "cursor", .role = BUFFER_ZEROED, .dtype = DTYPE_I32, .count = 1},
             [LAST] = {.name = "last", .role = BUFFER_OUTPUT, .dtype = DTYPE_I32, .count = 1},
             [CYCLES] = {.name = "cycles", .role = BUFFER_REPORT, .dtype = DTYPE_I32, .count = RING_GROUPS}},
        .buffers = BUFFERS,
        .argument = {{ARGUMENT_BUFFER, RING},
                     {ARGUMENT_BUFFER, OWN},
                     {ARGUMENT_BUFFER, CURSOR},
                     {ARGUMENT_BUFFER, LAST},
                     {ARGUMENT_BUFFER, CYCLES},
                     {ARGUMENT_U64, slots_of(point)},
                     {ARGUMENT_U64, (uint64_t)point->value[HOP] / 8},
                     {ARGUMENT_U32, 1}, /* places are even */
                     {ARGUMENT_U32, point->value[VARIANT] == L1 || point->value[CACHE] != CACHE_HOT}},
        .arguments = 9,
        .grid = {beyond ? 2 : 1, 1, 1}, /* a cluster: who chases, and whose memory it is */
        .block = {THREADS, 1, 1},
        .shared_dynamic = shared ? (uint32_t)point->value[SIZE] : 0,
        .carveout = point->value[VARIANT] == L1 ? 0 : -1,
        .constant = point->value[VARIANT] == CONSTANT ? "table" : NULL,
        .constant_buffer = RING,
    };
}

/* One offset a hop. */
static struct work work(const struct point *point)
{
    return (struct work){.bytes_read = 4 * hops_of(point), .bytes_written = 4};
}

/* Where the first chase ends, by the ring itself. What precedes the timed hops is whole laps. */
static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    if (buffer != LAST || first > 0 || count == 0)
        return;
    uint32_t at = ring_chase(inputs, RING, hops_of(point), (uint64_t)point->value[HOP], spacing_of(point));
    memcpy(out, &at, sizeof at);
}

static void observe(const struct point *point, const struct setup *s, const void *data,
                    struct observation *out)
{
    (void)s;
    ring_observe(data, (double)point->value[HOPS], out);
}

const struct family family_latency = {
    .space = {.kernel = "latency", .axes = axes, .count = AXES},
    .summary =
        "pointer chase: cycles of a load in shared memory, L1, L2, DRAM, constant cache; of a bulk copy",
    .memory = MEMORY_NONE,
    .source = latency_source,
    .claims = latency_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact, /* an offset is right or wrong */
    .reference = reference,
    .observe = observe,
};
