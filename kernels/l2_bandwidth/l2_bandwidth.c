/* l2_bandwidth - bandwidth of L2 by where the home of a line is: near to the multiprocessor that accesses it,
 * or far. Device code: l2_bandwidth.cu.
 *
 * `size`: bytes that all multiprocessors together access in a pass. latency_p05, _p50 and _p95 are cycles of
 * a multiprocessor per line in the passes that are timed, percentiles over multiprocessors and rounds: a line
 * has 128 bytes, so that 128 / latency_p50 is bytes per cycle. The time of a launch also has what makes the
 * lines warm.
 *
 * `shared_by`: multiprocessors that read the same lines at the same time, neighbours in rank. The control is
 * `laps`: one multiprocessor reads its own lines as often.
 *
 * The kernel chooses the lines, so the host does not know which ones are near. It knows how many each
 * multiprocessor has, and the words in them, which depend on their position in the list of all. */
#include "family/rules.h"

#include <assert.h>
#include <stdio.h>

#include "kernels/ring.h"

extern const char l2_bandwidth_source[], l2_bandwidth_claims[];

static const char *const variants[] = {"read", "write", NULL};
enum variant { READ, WRITE };
static const char *const home_words[] = {"any", "near", "far", NULL};
enum home { HOME_ANY };
static const char *const warmer_words[] = {"same", "other", NULL};
enum warmed_by { BY_SAME, BY_OTHER };

enum { VARIANT, SIZE, HOME, WARMED_BY, SHARED_BY, LAPS, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "read"),
    [SIZE] = {.name = "size",
              .kind = AXIS_BYTES,
              .unit = "bytes",
              .summary = "bytes that are accessed in a pass",
              .standard = "16MiB",
              .least = 256 << 10,
              .most = 1 << 30},
    [HOME] = AXIS_WORDS(
        "home", "lines whose home in L2 is near to the multiprocessor that accesses them, or far; or any",
        "any", home_words, false),
    [WARMED_BY] =
        AXIS_WORDS("warmed_by",
                   "who had the lines last: the multiprocessor itself, which loaded them, or another one, "
                   "near to their home, which stored them",
                   "other", warmer_words, false),
    [SHARED_BY] = AXIS_NUMBER("shared_by", "multiprocessors", "multiprocessors that read the same lines", "1",
                              1, 1024, false),
    [LAPS] = AXIS_NUMBER("laps", "laps", "times that a multiprocessor reads its lines in a pass", "1", 1,
                         1024, false),
    [CACHE] =
        AXIS_WORDS("cache", "what L2 holds: hot, the lines of the last launch", "hot", cache_words, false),
    [ARCH] = AXIS_ARCHITECTURE,
};

/* As in l2_bandwidth.cu. */
enum { BLOCK = 1024, WARP = 32, WARPS = BLOCK / WARP, LINE = 128, GROUP = 4, REQUEST = GROUP * LINE };
enum { ROUNDS = 4, CANDIDATES = 2, SEATS = 1024, STATE_WORDS = 3 * 16 + SEATS + SEATS / 2 + 1 };
#define SALT   UINT32_C(0x9e3779b9)
#define FACTOR UINT32_C(2654435761)

enum { STEP = 4096 }; /* bytes that divide `size`: the kernel looks at 32 lines at a time */

enum { MEMORY, HOMES, CHOICE, WRITTEN, STATE, OUT, CYCLES, BUFFERS };

/* Requests of a pass over all lines. */
static uint64_t groups_of(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / REQUEST;
}

/* The first group of a multiprocessor, or of those that share their lines. */
static uint64_t first_of(uint64_t rank, uint64_t groups, uint64_t multiprocessors)
{
    return groups * rank / multiprocessors;
}

/* Groups that the multiprocessor of a rank reads: those before `end`. */
struct share {
    uint64_t begin, end;
};

static uint64_t teams_of(const struct point *point, uint64_t multiprocessors)
{
    uint64_t teams = multiprocessors / (uint64_t)point->value[SHARED_BY];
    return teams ? teams : 1; /* of a device that is not known */
}

static struct share share_of(const struct point *point, uint64_t rank, uint64_t multiprocessors)
{
    uint64_t groups = groups_of(point), teams = teams_of(point, multiprocessors);
    uint64_t team = rank / (uint64_t)point->value[SHARED_BY] % teams;
    return (struct share){first_of(team, groups, teams), first_of(team + 1, groups, teams)};
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    uint64_t multiprocessors = rules_multiprocessors(target);
    uint64_t shared_by = (uint64_t)point->value[SHARED_BY], teams = teams_of(point, multiprocessors);
    uint64_t most = (groups_of(point) + teams - 1) / teams * GROUP * sizeof(uint32_t);
    bool once = shared_by == 1 && point->value[LAPS] == 1;
    if (target->host)
        return "a processor's caches are not those of a GPU: no half of them is near or far";
    if (point->value[CACHE] != CACHE_HOT)
        return "the lines must be in L2: l2_bandwidth is for cache hot";
    if (point->value[VARIANT] == WRITE && !once)
        return "shared_by and laps are for variant read";
    if (point->value[HOME] != HOME_ANY && shared_by > 1)
        return "lines are near to some multiprocessors only: shared_by is for home any";
    if (target->multiprocessors > 0 && multiprocessors % shared_by)
        snprintf(reason, size, "%llu multiprocessors are no whole number of %llu that share lines",
                 (unsigned long long)multiprocessors, (unsigned long long)shared_by);
    else if (point->value[SIZE] % STEP)
        snprintf(reason, size, "%lld bytes are no whole number of %d", (long long)point->value[SIZE], STEP);
    else if (target->multiprocessors > 0 && most > rules_shared_alone(target))
        snprintf(reason, size,
                 "the list of a multiprocessor's lines takes %llu bytes of shared memory, of %u",
                 (unsigned long long)most, rules_shared_alone(target));
    else
        return NULL;
    return reason;
}

static uint64_t reports_of(uint64_t multiprocessors)
{
    return multiprocessors * ROUNDS < RING_GROUPS ? multiprocessors * ROUNDS : RING_GROUPS;
}

static struct buffer scratch(const char *name, enum dtype dtype, uint64_t count)
{
    return (struct buffer){.name = name, .role = BUFFER_SCRATCH, .dtype = dtype, .count = count};
}

static struct setup setup(const struct point *point, const struct target *target)
{
    uint64_t multiprocessors = rules_multiprocessors(target), lines = groups_of(point) * GROUP;
    assert(multiprocessors <= SEATS);
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "l2_bandwidth",
        .buffer =
            {[MEMORY] = scratch("memory", DTYPE_I64, CANDIDATES * lines * LINE / 8),
             [HOMES] = scratch("homes", DTYPE_U8, CANDIDATES * lines),
             [CHOICE] = scratch("choice", DTYPE_I32, lines),
             [WRITTEN] = scratch("written", DTYPE_I64, lines),
             [STATE] = {.name = "state", .role = BUFFER_ZEROED, .dtype = DTYPE_I64, .count = STATE_WORDS},
             [OUT] = buffer_output("out", DTYPE_I32, multiprocessors),
             [CYCLES] = {.name = "cycles",
                         .role = BUFFER_REPORT,
                         .dtype = DTYPE_I32,
                         .count = reports_of(multiprocessors)}},
        .buffers = BUFFERS,
        .argument = {{ARGUMENT_BUFFER, MEMORY},
                     {ARGUMENT_BUFFER, HOMES},
                     {ARGUMENT_BUFFER, CHOICE},
                     {ARGUMENT_BUFFER, WRITTEN},
                     {ARGUMENT_BUFFER, STATE},
                     {ARGUMENT_BUFFER, OUT},
                     {ARGUMENT_BUFFER, CYCLES},
                     {ARGUMENT_U32, groups_of(point)},
                     {ARGUMENT_U32, (uint64_t)point->value[HOME]},
                     {ARGUMENT_U32, (uint64_t)point->value[WARMED_BY]},
                     {ARGUMENT_U32, reports_of(multiprocessors)},
                     {ARGUMENT_U32, (uint64_t)point->value[SHARED_BY]},
                     {ARGUMENT_U32, (uint64_t)point->value[LAPS]},
                     {ARGUMENT_U32, 0}},
        .arguments = 14,
        .grid = {(uint32_t)multiprocessors, 1, 1},
        .block = {BLOCK, 1, 1},
        .shared_dynamic = rules_shared_alone(target),
        .carveout = -1,
    };
}

/* The passes that are timed. */
static struct work work(const struct point *point)
{
    uint64_t bytes = ROUNDS * (uint64_t)(point->value[SIZE] * point->value[SHARED_BY] * point->value[LAPS]);
    return point->value[VARIANT] == READ ? (struct work){.bytes_read = bytes}
                                         : (struct work){.bytes_written = bytes};
}

/* The sum of words [first, end) of pass `salt`, modulo 2^32. */
static uint32_t sum_of(uint64_t first, uint64_t end, uint64_t salt)
{
    uint64_t count = end - first, indices = (first + end - 1) * count / 2;
    return (uint32_t)(indices + count * (uint32_t)(salt * SALT)) * FACTOR;
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    uint32_t *sums = out, laps = (uint32_t)point->value[LAPS];
    if (buffer != OUT)
        return;
    for (uint64_t i = 0; i < count; i++) {
        struct share share = share_of(point, first + i, inputs->setup->grid[0]);
        uint64_t begin = share.begin * REQUEST / 4, end = share.end * REQUEST / 4;
        sums[i] = 0;
        if (point->value[VARIANT] == WRITE)
            sums[i] = sum_of(begin, end, 2 * ROUNDS - 1);
        else
            for (uint64_t round = 0; round < ROUNDS; round++)
                sums[i] += laps * sum_of(begin, end, point->value[WARMED_BY] == BY_SAME ? 0 : round);
    }
}

/* ---- accesses of a warp, those of the first launch apart: not in the kernel's order, which has the same
 * ones in each round */

/* Lines are taken for neighbours, in the order of their list. A block stores, before others read, as many
 * lines as it reads: which ones they are is known on the device only, but all blocks together store all
 * lines, four in a request. */
struct program {
    uint64_t begin, groups;        /* of the block */
    uint64_t own;                  /* of the warp, WARPS apart */
    uint64_t stored_begin, stored; /* the same of what it stores before others read */
    uint64_t copies;               /* requests for its part of the list */
    bool leads;                    /* it is the first of its block */
    uint64_t block, reports;
};

/* Of the groups of a block, those of one of its warps. */
static uint64_t of_warp(uint64_t groups, uint64_t in_block)
{
    return groups > in_block ? (groups - in_block - 1) / WARPS + 1 : 0;
}

static struct program program_of(const struct point *point, const struct setup *s, uint64_t warp)
{
    uint64_t block = warp / WARPS, in_block = warp % WARPS, all = groups_of(point);
    struct share share = share_of(point, block, s->grid[0]);
    uint64_t groups = share.end - share.begin, stored_begin = first_of(block, all, s->grid[0]);
    uint64_t words = groups * GROUP, before = in_block * WARP, reports = s->buffer[CYCLES].count;
    uint64_t left = block < reports ? reports - block : 0;
    return (struct program){.begin = share.begin,
                            .groups = groups,
                            .own = of_warp(groups, in_block),
                            .stored_begin = stored_begin,
                            .stored = of_warp(first_of(block + 1, all, s->grid[0]) - stored_begin, in_block),
                            .copies = words > before ? (words - before - 1) / BLOCK + 1 : 0,
                            .leads = in_block == 0,
                            .block = block,
                            .reports = (left + s->grid[0] - 1) / s->grid[0]};
}

/* Global memory, as most accesses are: a request of four lines, 16 bytes a lane. */
static struct access lines_at(uint64_t begin, uint64_t warp, uint64_t nth, uint64_t times)
{
    struct access a = {.space = ACCESS_GLOBAL, .buffer = MEMORY, .width = 16, .times = times};
    access_evenly(&a, (begin + warp % WARPS + nth * WARPS) * REQUEST, 16, WARP);
    return a;
}

static struct access word_at(int buffer, uint32_t width, uint64_t address)
{
    struct access a = {.space = ACCESS_GLOBAL, .buffer = buffer, .width = width, .times = 1};
    access_evenly(&a, address, 0, WARP);
    return a;
}

/* The part of the list that the warp copies to shared memory. */
static struct access copy_at(const struct program *p, uint64_t warp, uint64_t nth)
{
    uint64_t first = nth * BLOCK + warp % WARPS * WARP, left = p->groups * GROUP - first;
    struct access a = {.space = ACCESS_GLOBAL, .buffer = CHOICE, .width = 4, .times = 1};
    access_evenly(&a, (p->begin * GROUP + first) * 4, 4, left < WARP ? left : WARP);
    return a;
}

/* Position and line of what is stored next. */
static struct access written_at(const struct program *p, uint64_t warp, uint64_t nth)
{
    struct access a = {
        .space = ACCESS_GLOBAL, .buffer = WRITTEN, .width = 8, .active = UINT32_MAX, .times = ROUNDS};
    uint64_t group = p->stored_begin + warp % WARPS + nth * WARPS;
    for (uint64_t lane = 0; lane < WARP; lane++)
        a.address[lane] = (group * GROUP + lane / 8) * 8;
    return a;
}

static struct access stored(struct access a, bool by_one)
{
    a.store = true;
    a.active = by_one ? 1 : a.active;
    return a;
}

static bool access_of(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                      struct access *out)
{
    struct program p = program_of(point, s, warp);
    bool other = point->value[WARMED_BY] == BY_OTHER, write = point->value[VARIANT] == WRITE;
    uint64_t i = index, own = p.own, stores = other ? p.stored : 0, warms = other ? 0 : own;
    uint64_t laps = (uint64_t)point->value[LAPS];
    if (i < 2)
        *out = i ? word_at(STATE, 4, (3 * 16 + SEATS) * 8 + p.block * 4) : word_at(STATE, 8, 2 * 16 * 8);
    else if ((i -= 2) < p.copies)
        *out = copy_at(&p, warp, i);
    else if ((i -= p.copies) < stores)
        *out = written_at(&p, warp, i);
    else if ((i -= stores) < stores)
        *out = stored(lines_at(p.stored_begin, warp, i, ROUNDS), false);
    else if ((i -= stores) < warms)
        *out = lines_at(p.begin, warp, i, ROUNDS);
    else if ((i -= warms) < own)
        *out = write ? stored(lines_at(p.begin, warp, i, ROUNDS), false)
                     : lines_at(p.begin, warp, i, ROUNDS * laps);
    else if ((i -= own) < own * write)
        *out = lines_at(p.begin, warp, i, 1);
    else if ((i -= own * write) < p.reports * p.leads)
        *out = stored(word_at(CYCLES, 4, (i * s->grid[0] + p.block) * 4), true);
    else if (i == p.reports * p.leads && p.leads)
        *out = stored(word_at(OUT, 4, 4 * p.block), true);
    else
        return false;
    return true;
}

static void observe(const struct point *point, const struct setup *s, const void *data,
                    struct observation *out)
{
    double times = (double)(point->value[SHARED_BY] * point->value[LAPS]);
    double lines = (double)groups_of(point) * GROUP * times / s->grid[0]; /* of a multiprocessor */
    ring_observe_groups(data, (int)s->buffer[CYCLES].count, lines, out);
}

const struct family family_l2_bandwidth = {
    .space = {.kernel = "l2_bandwidth", .axes = axes, .count = AXES},
    .summary =
        "bandwidth of L2 for lines whose home is near to the multiprocessor, or far, by who had them last",
    .memory = MEMORY_NONE, /* the time of a launch is not that of what is measured */
    .source = l2_bandwidth_source,
    .claims = l2_bandwidth_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact, /* sums modulo 2^32, in any order */
    .reference = reference,
    .access = access_of,
    .observe = observe,
};
