/* peer_latency - how long one access to another device's memory takes, by the clock of the device that makes
 * it. Device code: peer_latency.cu.
 *
 * load, load_l1, atomic_add and atomic_cas chase through a ring of `size` bytes in the peer's memory, each
 * access giving the address of the next. `fence` stores a word there and waits until it is visible to all
 * devices. `ping_pong` is a round trip between kernels of both devices: each waits for a flag in its own
 * memory, which the other stores. On the pair `local` all of it is in one device's memory. With a hot L2 the
 * chase meets lines that the last launch has left wherever they are cached. */
#include "family/rules.h"

#include <stdio.h>

#include "kernels/ring.h"

extern const char peer_latency_source[], peer_latency_claims[];

static const char *const variants[] = {"load",  "load_l1",   "atomic_add", "atomic_cas",
                                       "fence", "ping_pong", NULL};
enum variant { LOAD, LOAD_L1, ATOMIC_ADD, ATOMIC_CAS, FENCE, PING_PONG };

enum { VARIANT, PAIR, SIZE, HOP, HOPS, SETS, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "load"),
    [PAIR] = AXIS_PAIR,
    [SIZE] = AXIS_SIZE("1MiB"),
    [HOP] = {.name = "hop",
             .kind = AXIS_BYTES,
             .unit = "bytes",
             .summary = "distance between slots of the ring",
             .standard = "128",
             .least = 32,
             .most = 2 << 20},
    [HOPS] = AXIS_NUMBER("hops", "hops", "accesses or round trips between two readings of the clock", "8", 1,
                         64, true),
    [SETS] = AXIS_SETS,
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

#define THREADS       512
#define OFFSETS_REACH (UINT64_C(1) << 32)

/* The flags come first: the second part has them exchanged (setup.parts). */
enum { FLAG_NEAR, FLAG_FAR, RING, OWN, CURSOR, LAST, CYCLES, BUFFERS };

static bool chases(const struct point *point)
{
    return point->value[VARIANT] < FENCE;
}

static uint64_t hops_of(const struct point *point)
{
    return RING_GROUPS * (uint64_t)point->value[HOPS];
}

static uint64_t slots_of(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / (uint64_t)point->value[HOP];
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    uint64_t footprint = (uint64_t)point->value[SIZE], hop = (uint64_t)point->value[HOP];
    (void)reason;
    (void)size;
    if (target->host)
        return "the latencies of a processor's caches are not those of a GPU: nothing to chase on the host";
    if (!ring_is_power_of_two(footprint) || !ring_is_power_of_two(hop))
        return "the ring's order needs a power of two of slots, and of bytes from one to the next";
    if (footprint > OFFSETS_REACH)
        return "offsets have 32 bits: the ring has at most 4GiB";
    if (footprint < hop)
        return "the ring has no slot: size is less than hop";
    if (!chases(point) && (point->value[HOP] != space_standard(point->space, HOP) ||
                           point->value[SIZE] != space_standard(point->space, SIZE)))
        return "fence and ping_pong use one word: they have no size or hop to choose";
    return NULL;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    struct fill fill = ring_fill((uint64_t)point->value[SIZE], (uint64_t)point->value[HOP], 1);
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "peer_latency",
        .buffer =
            {[FLAG_NEAR] = {.name = "flag_near", .role = BUFFER_ZEROED, .dtype = DTYPE_I32, .count = 1},
             [FLAG_FAR] =
                 {.name = "flag_far", .role = BUFFER_ZEROED, .dtype = DTYPE_I32, .count = 1, .device = 1},
             [RING] = buffer_input("ring", DTYPE_I32, slots_of(point), fill),
             [OWN] = {.name = "own",
                      .role = BUFFER_SCRATCH,
                      .dtype = DTYPE_I64,
                      .count = (uint64_t)point->value[SIZE] / 8,
                      .device = 1},
             [CURSOR] = {.name = "cursor", .role = BUFFER_ZEROED, .dtype = DTYPE_I32, .count = 1},
             [LAST] = buffer_output("last", DTYPE_I32, 1),
             [CYCLES] = {.name = "cycles", .role = BUFFER_REPORT, .dtype = DTYPE_I32, .count = RING_GROUPS}},
        .buffers = BUFFERS,
        .argument = {{ARGUMENT_BUFFER, FLAG_NEAR},
                     {ARGUMENT_BUFFER, FLAG_FAR},
                     {ARGUMENT_BUFFER, RING},
                     {ARGUMENT_BUFFER, OWN},
                     {ARGUMENT_BUFFER, CURSOR},
                     {ARGUMENT_BUFFER, LAST},
                     {ARGUMENT_BUFFER, CYCLES},
                     {ARGUMENT_U64, slots_of(point)},
                     {ARGUMENT_U64, (uint64_t)point->value[HOP] / 8},
                     {ARGUMENT_U32, 1}, /* addresses are even */
                     {ARGUMENT_PART, 0}},
        .arguments = 11,
        .grid = {1, 1, 1},
        .block = {THREADS, 1, 1},
        .carveout = -1,
        .parts = point->value[VARIANT] == PING_PONG ? 2 : 1,
        .group = FLAG_FAR,
        .sets = rules_sets_in_l2(point->value[SETS], (uint64_t)point->value[SIZE], target),
    };
}

static struct work work(const struct point *point)
{
    uint64_t bytes = 4 * hops_of(point);
    return point->value[VARIANT] >= FENCE ? (struct work){.bytes_written = bytes}
                                          : (struct work){.bytes_read = bytes};
}

/* Where the first chase ends, by the ring itself; or the number of stores or round trips. */
static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    if (buffer != LAST || first > 0 || count == 0)
        return;
    uint64_t hops = hops_of(point);
    uint32_t at =
        chases(point) ? ring_chase(inputs, RING, hops, (uint64_t)point->value[HOP], 1) : (uint32_t)hops;
    memcpy(out, &at, sizeof at);
}

static void observe(const struct point *point, const struct setup *s, const void *data,
                    struct observation *out)
{
    (void)s;
    ring_observe(data, (double)point->value[HOPS], out);
}

static struct chain chain(const struct point *point)
{
    static const enum chain_kind kinds[] = {CHAIN_LOAD,   CHAIN_LOAD_L1, CHAIN_ATOMIC,
                                            CHAIN_ATOMIC, CHAIN_FENCE,   CHAIN_FLAG};
    return (struct chain){.kind = kinds[point->value[VARIANT]],
                          .count = hops_of(point),
                          .groups = RING_GROUPS,
                          .slots = chases(point) ? slots_of(point) : 1,
                          .bytes = chases(point) ? (uint64_t)point->value[SIZE] : 128};
}

static struct devices devices(const struct point *point)
{
    return rules_pair_devices(point->value[PAIR]);
}

const struct family family_peer_latency = {
    .space = {.kernel = "peer_latency", .axes = axes, .count = AXES},
    .summary = "cycles of one load, atomic or fenced store in another device's memory, and of a round trip",
    .node_exclusive = true,
    .memory = MEMORY_NONE,
    .source = peer_latency_source,
    .claims = peer_latency_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact,
    .reference = reference,
    .observe = observe,
    .devices = devices,
    .chain = chain,
};
