/* pages - reach of the TLBs: a chase with one access in each page. Device code: pages.cu.
 *
 * `size` is the footprint of a tour of size / hop slots. The lines of all slots stay in L2, so that the time
 * of a hop shows whether the translation of its page was cached; `lines`, the control, has as many lines on
 * few pages. latency_p05, _p50 and _p95 are percentiles over groups of `hops` loads of the first chaser. */
#include "family/rules.h"

#include <stdio.h>

#include "kernels/ring.h"

extern const char pages_source[], pages_claims[];

static const char *const variants[] = {"pages", "lines", NULL};
enum variant { PAGES, LINES };
static const char *const chaser_words[] = {"one", "two", "cluster", "all", NULL};
enum chasers { ONE, TWO, CLUSTER, ALL };
static const char *const tour_words[] = {"common", "own", NULL};
enum { COMMON, OWN_TOUR };

enum { VARIANT, SIZE, HOP, CHASERS, TOURS, FIRST, SECOND, HOPS, SETS, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    /* Not compiled: the variants differ in the distance of their slots. */
    [VARIANT] = AXIS_WORDS("variant", "one line in each page, or as many lines side by side: the control",
                           "pages", variants, false),
    [SIZE] = AXIS_SIZE("256MiB"),
    [HOP] = {.name = "hop",
             .kind = AXIS_BYTES,
             .unit = "bytes",
             .summary = "distance between slots of the tour",
             .standard = "2MiB",
             .least = 128,
             .most = 1 << 30},
    [CHASERS] =
        AXIS_WORDS("chasers", "multiprocessors that chase at once: one, two, a cluster of 8 in one GPC, all",
                   "one", chaser_words, true),
    [TOURS] = AXIS_WORDS("tours", "whether the chasers share one tour or have their own pages each", "common",
                         tour_words, false),
    [FIRST] = AXIS_NUMBER("sm", "", "number of the multiprocessor that reports, as %smid has it", "0", 0, 255,
                          false),
    [SECOND] = AXIS_NUMBER("second", "", "number of the other one of two", "1", 0, 255, false),
    [HOPS] =
        AXIS_NUMBER("hops", "hops", "dependent loads between two readings of the clock", "8", 1, 64, true),
    [SETS] = AXIS_SETS,
    [CACHE] =
        AXIS_WORDS("cache", "what L2 holds: hot, the lines of the last launch", "hot", cache_words, false),
    [ARCH] = AXIS_ARCHITECTURE,
};

#define THREADS        256 /* as in tour.cuh */
#define LINE           128 /* bytes of a cache line */
#define CLUSTER_BLOCKS 8   /* the most that every device of capability 9.0 on can launch */

/* Bytes of all sets together: the pages of more would soon leave the TLBs. */
#define SETS_BYTES (UINT64_C(512) << 20)

enum { ORDER, OWN, CURSORS, ARRIVED, LAST, CYCLES, BUFFERS };

static uint64_t slots_of(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / (uint64_t)point->value[HOP];
}

static uint64_t hops_of(const struct point *point)
{
    return RING_GROUPS * (uint64_t)point->value[HOPS];
}

static uint32_t chasers_of(const struct point *point, const struct target *target)
{
    switch ((enum chasers)point->value[CHASERS]) {
    case ONE:
        return 1;
    case TWO:
        return 2;
    case CLUSTER:
        return CLUSTER_BLOCKS;
    case ALL:
        break;
    }
    return (uint32_t)rules_multiprocessors(target);
}

static bool has_own_tours(const struct point *point)
{
    return point->value[TOURS] == OWN_TOUR;
}

static const char *skip_chasers(const struct point *point, const struct target *target, char *reason,
                                size_t size)
{
    int64_t chasers = point->value[CHASERS], sm = point->value[FIRST], second = point->value[SECOND];
    int64_t last = chasers == TWO && second > sm ? second : sm;
    if (chasers != TWO && second != space_standard(point->space, SECOND))
        return "second is the other one of two chasers; there are not two";
    if (chasers == TWO && sm == second)
        return "two chasers need two multiprocessors: sm and second are the same";
    if (chasers == CLUSTER && sm != space_standard(point->space, FIRST))
        return "the hardware chooses the multiprocessors of a cluster: sm has no effect";
    if (chasers == ONE && has_own_tours(point))
        return "one chaser shares its tour with nobody: own is for several";
    if (rules_multiprocessor(last, target, reason, size))
        return reason;
    return chasers == CLUSTER ? rules_capability("a cluster", 90, point, target, reason, size) : NULL;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    if (target->host)
        return "a processor's TLBs are not those of a GPU: nothing to chase on the host";
    if (point->value[CACHE] != CACHE_HOT)
        return "the lines must be in L2, so that only translation differs: pages is for cache hot";
    if (rules_slots(point->value[SIZE], point->value[HOP], reason, size) ||
        rules_lines(slots_of(point) * (has_own_tours(point) ? chasers_of(point, target) : 1), target, reason,
                    size))
        return reason;
    return skip_chasers(point, target, reason, size);
}

/* Sets of `lines` lines in `bytes` bytes: the lines of all of them stay in half of L2, as those of a single
 * set do (rules_lines). */
static uint32_t sets_of(const struct point *point, const struct target *target, uint64_t bytes,
                        uint64_t lines)
{
    uint32_t mapped = rules_sets(point->value[SETS], bytes, SETS_BYTES);
    return rules_sets(mapped, lines * LINE, target->l2_bytes / 2);
}

static struct setup setup(const struct point *point, const struct target *target)
{
    uint64_t slots = slots_of(point), chasers = chasers_of(point, target);
    uint64_t hop = point->value[VARIANT] == LINES ? LINE : (uint64_t)point->value[HOP];
    uint64_t apart = has_own_tours(point) ? slots * hop : 0, tours = apart ? chasers : 1;
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "pages",
        .buffer =
            {[ORDER] = buffer_input("order", DTYPE_I32, slots, ring_tour(slots)),
             [OWN] = {.name = "own",
                      .role = BUFFER_SCRATCH,
                      .dtype = DTYPE_I64,
                      .count = slots * hop / 8 * tours},
             [CURSORS] = {.name = "cursors", .role = BUFFER_ZEROED, .dtype = DTYPE_I32, .count = chasers},
             [ARRIVED] = {.name = "arrived", .role = BUFFER_ZEROED, .dtype = DTYPE_I32, .count = 1},
             [LAST] = buffer_output("last", DTYPE_I32, chasers),
             [CYCLES] = {.name = "cycles",
                         .role = BUFFER_REPORT,
                         .dtype = DTYPE_I32,
                         .count = chasers * RING_GROUPS}},
        .buffers = BUFFERS,
        .argument = {{ARGUMENT_BUFFER, ORDER},
                     {ARGUMENT_BUFFER, OWN},
                     {ARGUMENT_BUFFER, CURSORS},
                     {ARGUMENT_BUFFER, ARRIVED},
                     {ARGUMENT_BUFFER, LAST},
                     {ARGUMENT_BUFFER, CYCLES},
                     {ARGUMENT_U32, slots},
                     {ARGUMENT_U64, hop},
                     {ARGUMENT_U64, apart},
                     {ARGUMENT_U32, chasers},
                     {ARGUMENT_U32, (uint64_t)point->value[FIRST]},
                     {ARGUMENT_U32, (uint64_t)point->value[SECOND]},
                     {ARGUMENT_U32, 1}}, /* addresses are even */
        .arguments = 13,
        .grid = {point->value[CHASERS] == CLUSTER ? CLUSTER_BLOCKS : (uint32_t)rules_multiprocessors(target),
                 1, 1},
        .block = {THREADS, 1, 1},
        .shared_dynamic = rules_shared_alone(target),
        .carveout = -1,
        .sets = sets_of(point, target, slots * hop * tours, slots * tours),
    };
}

/* One address a hop, of the chaser that reports. */
static struct work work(const struct point *point)
{
    return (struct work){.bytes_read = 8 * hops_of(point), .bytes_written = 4};
}

/* Where the first chase of each chaser ends. Chasers of one tour set out from places spread over it. */
static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    uint64_t slots = slots_of(point), chasers = inputs->setup->buffer[LAST].count;
    (void)buffer;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t start = has_own_tours(point) ? 0 : (first + i) * slots / chasers;
        inputs_load(inputs, ORDER, (start + hops_of(point)) % slots, (uint32_t *)out + i);
    }
}

static void observe(const struct point *point, const struct setup *s, const void *data,
                    struct observation *out)
{
    uint64_t reporter = point->value[CHASERS] == ALL ? (uint64_t)point->value[FIRST] : 0;
    (void)s;
    ring_observe((const uint32_t *)data + reporter * RING_GROUPS, (double)point->value[HOPS], out);
}

const struct family family_pages = {
    .space = {.kernel = "pages", .axes = axes, .count = AXES},
    .summary = "reach of the TLBs: a chase with one access in each page, by one or several multiprocessors",
    .memory = MEMORY_NONE,
    .source = pages_source,
    .claims = pages_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact, /* a slot is right or wrong */
    .reference = reference,
    .observe = observe,
};
