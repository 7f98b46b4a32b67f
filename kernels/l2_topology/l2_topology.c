/* l2_topology - latency of each multiprocessor to lines of L2. Device code: l2_topology.cu.
 *
 * `size`: footprint of a tour of size / hop slots, one line each, from line `line` of the array on. One slot
 * and many hops give the latency of one line, so that `sm` and `line` span a map; many slots and one hop for
 * each reading of the clock give a distribution over lines, of which latency_p05, _p50 and _p95 are
 * percentiles. */
#include "family/rules.h"

#include <stdio.h>

#include "kernels/ring.h"

extern const char l2_topology_source[], l2_topology_claims[];

static const char *const variants[] = {"load", "atomic", "l1", NULL};
enum variant { LOAD, ATOMIC, L1 };
static const char *const warmer_words[] = {"same", "other", "both", NULL};
enum warmed_by { BY_SAME, BY_OTHER, BY_BOTH };

static const char *const home_words[] = {"any", "near", "far", NULL};
enum home { HOME_ANY, HOME_NEAR, HOME_FAR };

enum { VARIANT, SIZE, HOP, LINE_NUMBER, SM, WARMED_BY, OTHER, HOME, HOPS, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "load"),
    [SIZE] = AXIS_SIZE("128KiB"),
    [HOP] = {.name = "hop",
             .kind = AXIS_BYTES,
             .unit = "bytes",
             .summary = "distance between slots of the tour",
             .standard = "128",
             .least = 128,
             .most = 2 << 20},
    [LINE_NUMBER] =
        AXIS_NUMBER("line", "lines", "line of the array at which the tour lies", "0", 0, 1 << 20, false),
    [SM] = AXIS_NUMBER("sm", "", "number of the multiprocessor that chases, as %smid has it", "0", 0, 255,
                       false),
    [WARMED_BY] = AXIS_WORDS("warmed_by", "who brought the lines to L2 last: the chaser, another SM, or both",
                             "same", warmer_words, false),
    [OTHER] = AXIS_NUMBER("other", "", "number of the other multiprocessor", "1", 0, 255, false),
    [HOME] = {.name = "home",
              .kind = AXIS_WORD,
              .unit = "",
              .summary = "lines of the tour: any, or those whose home is near to multiprocessor 0, or far",
              .standard = "any",
              .words = home_words,
              .compiled = true,
              .late = true},
    [HOPS] =
        AXIS_NUMBER("hops", "hops", "dependent accesses between two readings of the clock", "1", 1, 64, true),
    [CACHE] =
        AXIS_WORDS("cache", "what L2 holds: hot, the lines of the last launch", "hot", cache_words, false),
    [ARCH] = AXIS_ARCHITECTURE,
};

#define THREADS 256 /* as in tour.cuh */
#define LINE    128 /* bytes of a cache line */

enum { ORDER, OWN, CURSOR, COUNTERS, LAST, CYCLES, CHOICE, BUFFERS };

enum { CANDIDATES = 4 }; /* lines for each slot, as in l2_topology.cu */

static uint64_t slots_of(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / (uint64_t)point->value[HOP];
}

static uint64_t hops_of(const struct point *point)
{
    return RING_GROUPS * (uint64_t)point->value[HOPS];
}

/* Lines that are touched: those of the tour, or those that it is chosen from. */
static uint64_t lines_of(const struct point *point)
{
    return slots_of(point) * (point->value[HOME] == HOME_ANY ? 1 : CANDIDATES);
}

static const char *skip_warming(const struct point *point, const struct target *target, char *reason,
                                size_t size)
{
    int64_t sm = point->value[SM], other = point->value[OTHER], variant = point->value[VARIANT];
    bool same = point->value[WARMED_BY] == BY_SAME;
    if (point->value[HOME] != HOME_ANY && (variant != ATOMIC || !same))
        return "only atomics go to a line's home: near and far lines are for atomic, warmed by the chaser";
    if (same && other != space_standard(point->space, OTHER))
        return "nobody else warms the lines: other has no effect";
    if (!same && sm == other)
        return "sm and other are the same multiprocessor";
    if (variant == L1 && !same)
        return "l1 hits what the multiprocessor itself has loaded: warmed_by is same";
    if (variant == L1 && target->shared_sm_bytes && slots_of(point) * LINE > target->shared_sm_bytes / 2)
        snprintf(reason, size, "%llu lines do not stay in L1, half of which shared memory takes",
                 (unsigned long long)slots_of(point));
    else if (variant == LOAD && point->value[WARMED_BY] == BY_OTHER && slots_of(point) < hops_of(point))
        snprintf(reason, size, "%llu hops over %llu lines meet lines again, which they have warmed by then",
                 (unsigned long long)hops_of(point), (unsigned long long)slots_of(point));
    else
        return rules_multiprocessor(same || sm > other ? sm : other, target, reason, size);
    return reason;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    if (target->host)
        return "a processor's caches are not those of a GPU: nothing to chase on the host";
    if (point->value[CACHE] != CACHE_HOT)
        return "the lines must be in L2: l2_topology is for cache hot";
    if (rules_slots(point->value[SIZE], point->value[HOP], reason, size) ||
        rules_lines(lines_of(point), target, reason, size))
        return reason;
    return skip_warming(point, target, reason, size);
}

static struct setup setup(const struct point *point, const struct target *target)
{
    uint64_t slots = slots_of(point), lines = lines_of(point),
             before = (uint64_t)point->value[LINE_NUMBER] * LINE;
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "l2_topology",
        .buffer =
            {[ORDER] = buffer_input("order", DTYPE_I32, slots, ring_tour(slots)),
             [OWN] = {.name = "own",
                      .role = BUFFER_SCRATCH,
                      .dtype = DTYPE_I64,
                      .count = (before + lines * (uint64_t)point->value[HOP]) / 8},
             [CURSOR] = {.name = "cursor", .role = BUFFER_ZEROED, .dtype = DTYPE_I32, .count = 1},
             [COUNTERS] = {.name = "counters", .role = BUFFER_ZEROED, .dtype = DTYPE_I32, .count = 2},
             [LAST] = buffer_output("last", DTYPE_I32, 1),
             [CYCLES] = {.name = "cycles", .role = BUFFER_REPORT, .dtype = DTYPE_I32, .count = RING_GROUPS},
             [CHOICE] = {.name = "choice",
                         .role = BUFFER_SCRATCH,
                         .dtype = DTYPE_I32,
                         .count = lines > slots ? slots + lines : 1}},
        .buffers = BUFFERS,
        .argument = {{ARGUMENT_BUFFER, ORDER},
                     {ARGUMENT_BUFFER, BUFFER_FROM(OWN, before)},
                     {ARGUMENT_BUFFER, CURSOR},
                     {ARGUMENT_BUFFER, COUNTERS},
                     {ARGUMENT_BUFFER, LAST},
                     {ARGUMENT_BUFFER, CYCLES},
                     {ARGUMENT_U32, slots},
                     {ARGUMENT_U64, (uint64_t)point->value[HOP]},
                     {ARGUMENT_U32, (uint64_t)point->value[SM]},
                     {ARGUMENT_U32, (uint64_t)point->value[OTHER]},
                     {ARGUMENT_U32, (uint64_t)point->value[WARMED_BY]},
                     {ARGUMENT_U32, 1}, /* addresses are even */
                     {ARGUMENT_BUFFER, CHOICE}},
        .arguments = 13,
        .grid = {(uint32_t)rules_multiprocessors(target), 1, 1},
        .block = {THREADS, 1, 1},
        .shared_dynamic = rules_shared_alone(target),
        .carveout = -1,
    };
}

/* One address a hop. */
static struct work work(const struct point *point)
{
    return (struct work){.bytes_read = 8 * hops_of(point), .bytes_written = 4};
}

/* Where the first chase ends. */
static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    (void)buffer;
    if (first == 0 && count > 0)
        inputs_load(inputs, ORDER, hops_of(point) % slots_of(point), out);
}

static void observe(const struct point *point, const struct setup *s, const void *data,
                    struct observation *out)
{
    (void)s;
    ring_observe(data, (double)point->value[HOPS], out);
}

const struct family family_l2_topology = {
    .space = {.kernel = "l2_topology", .axes = axes, .count = AXES},
    .summary = "latency of each multiprocessor to lines of L2, near and far, by who brought them there",
    .memory = MEMORY_NONE,
    .data_axes = FAMILY_AXIS(SIZE) | FAMILY_AXIS(HOP) | FAMILY_AXIS(HOPS),
    .source = l2_topology_source,
    .claims = l2_topology_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact, /* a slot is right or wrong */
    .reference = reference,
    .observe = observe,
};
