/* l2_window - an access policy window of L2: what is read again stays, while a stream passes. Device code:
 * l2_window.cu.
 *
 * `window`: bytes that each round reads; `size`: bytes of the stream, a part of which follows in each round.
 * With `hit_ratio` a launch has a window over them (struct l2_policy), and as much of L2 as can be is set
 * aside; 0, the control: it has none. latency_p05, _p50 and _p95 are cycles of a load of the window,
 * percentiles over warps. */
#include "family/rules.h"

#include <stdio.h>

#include "kernels/ring.h"

extern const char l2_window_source[], l2_window_claims[];

static const char *const variants[] = {"read", NULL};

enum { VARIANT, SIZE, WINDOW, HIT_RATIO, ROUNDS, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "read"),
    [SIZE] = AXIS_SIZE("1GiB"),
    [WINDOW] = {.name = "window",
                .kind = AXIS_BYTES,
                .unit = "bytes",
                .summary = "bytes that each round reads again",
                .standard = "16MiB",
                .least = 16 << 10,
                .most = 1 << 30},
    [HIT_RATIO] =
        AXIS_NUMBER("hit_ratio", "%", "share of the window's lines that persist in L2; 0: no access policy",
                    "100", 0, 100, false),
    [ROUNDS] = AXIS_NUMBER("rounds", "rounds", "reads of the window, each before a part of the stream", "8",
                           1, 1024, false),
    [CACHE] =
        AXIS_WORDS("cache", "what L2 holds: hot, the lines of the last launch", "hot", cache_words, false),
    [ARCH] = AXIS_ARCHITECTURE,
};

enum { IN, STREAM, SUMS, CYCLES, BUFFERS };
enum { WARP = 32, BLOCK = 256, ACCESS = 16, FRACTION = 16 /* as in l2_window.cu */ };

/* Threads that stay on a multiprocessor whatever the kernel's registers: see its launch bounds. */
#define RESIDENT_THREADS 1024

/* Accesses to the window; to the stream, in all and in a round. */
static uint64_t reused_of(const struct point *point)
{
    return (uint64_t)point->value[WINDOW] / ACCESS;
}

static uint64_t streamed_of(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / ACCESS;
}

static uint64_t part_of(const struct point *point)
{
    uint64_t rounds = (uint64_t)point->value[ROUNDS];
    return (streamed_of(point) + rounds - 1) / rounds;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    if (target->host && point->value[HIT_RATIO])
        return "a processor's caches have no access policy window";
    if (point->value[CACHE] != CACHE_HOT)
        return "lines that persist stay in L2 when it is flushed: l2_window is for cache hot";
    if (point->value[WINDOW] % ACCESS || point->value[SIZE] % ACCESS)
        snprintf(reason, size, "a window of %lld bytes and a stream of %lld: not whole accesses of %d",
                 (long long)point->value[WINDOW], (long long)point->value[SIZE], ACCESS);
    else if (part_of(point) > INT32_MAX)
        return "accesses of a round are numbered with 31 bits: choose a smaller size or more rounds";
    else
        return NULL;
    return reason;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM}, small = {.kind = FILL_BELOW, .modulus = 1 << 30};
    uint64_t window = (uint64_t)point->value[WINDOW];
    uint64_t blocks = rules_multiprocessors(target) * (RESIDENT_THREADS / BLOCK),
             warps = blocks * (BLOCK / WARP);
    uint64_t reports = least_of(RING_GROUPS, least_of(warps, (reused_of(point) + WARP - 1) / WARP));
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "l2_window",
        .buffer =
            {[IN] = buffer_input("window", DTYPE_I32, window / 4, small),
             [STREAM] = buffer_input("stream", DTYPE_I32, (uint64_t)point->value[SIZE] / 4, random),
             [SUMS] = buffer_output("sums", DTYPE_I32, warps),
             [CYCLES] = {.name = "cycles", .role = BUFFER_REPORT, .dtype = DTYPE_I32, .count = reports}},
        .buffers = BUFFERS,
        .argument = {{ARGUMENT_BUFFER, IN},
                     {ARGUMENT_BUFFER, STREAM},
                     {ARGUMENT_BUFFER, SUMS},
                     {ARGUMENT_BUFFER, CYCLES},
                     {ARGUMENT_U32, reused_of(point)},
                     {ARGUMENT_U64, streamed_of(point)},
                     {ARGUMENT_U32, part_of(point)},
                     {ARGUMENT_U32, (uint64_t)point->value[ROUNDS]},
                     {ARGUMENT_U32, reports},
                     {ARGUMENT_U32, UINT32_MAX}}, /* more than four words of 30 bits add up to */
        .arguments = 10,
        .grid = {(uint32_t)blocks, 1, 1},
        .block = {BLOCK, 1, 1},
        .carveout = -1,
        .l2 = {.window = point->value[HIT_RATIO] ? window : 0,
               .buffer = IN,
               .hit_ratio = (float)point->value[HIT_RATIO] / 100},
    };
}

/* What is asked for: the window in each round, and the stream. */
static struct work work(const struct point *point)
{
    return (struct work){.bytes_read = (uint64_t)point->value[WINDOW] * (uint64_t)point->value[ROUNDS] +
                                       (uint64_t)point->value[SIZE]};
}

/* The sum of a warp's accesses among `count` from `first` on: those of its lanes in turn with all other
 * warps'. */
static uint32_t sum_accesses(const struct inputs *inputs, int buffer, uint64_t first, uint64_t count,
                             uint64_t warp, uint64_t warps)
{
    enum { WORDS = ACCESS / 4 };
    uint32_t words[WARP * WORDS], sum = 0;
    for (uint64_t i = warp * WARP; i < count; i += warps * WARP) {
        uint64_t lanes = least_of(WARP, count - i);
        inputs_load_range(inputs, buffer, (first + i) * WORDS, lanes * WORDS, words);
        for (uint64_t word = 0; word < lanes * WORDS; word++)
            sum += words[word];
    }
    return sum;
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    uint64_t warps = inputs->setup->buffer[SUMS].count, part = part_of(point), streamed = streamed_of(point);
    uint32_t *sums = out, rounds = (uint32_t)point->value[ROUNDS];
    if (buffer != SUMS)
        return;
    for (uint64_t i = 0; i < count; i++) {
        sums[i] = rounds * sum_accesses(inputs, IN, 0, reused_of(point), first + i, warps);
        for (uint64_t begin = 0; begin < streamed; begin += part)
            sums[i] +=
                sum_accesses(inputs, STREAM, begin, least_of(part, streamed - begin), first + i, warps);
    }
}

static void observe(const struct point *point, const struct setup *s, const void *data,
                    struct observation *out)
{
    (void)point;
    ring_observe_groups(data, (int)s->buffer[CYCLES].count, FRACTION, out);
}

const struct family family_l2_window = {
    .space = {.kernel = "l2_window", .axes = axes, .count = AXES},
    .summary = "reads of a window that persists in L2, by an access policy, while a stream passes",
    .memory = MEMORY_NONE, /* L2 and DRAM at once, in shares that are what is measured */
    .data_axes = FAMILY_AXIS(SIZE) | FAMILY_AXIS(WINDOW) | FAMILY_AXIS(ROUNDS),
    .source = l2_window_source,
    .claims = l2_window_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact, /* sums modulo 2^32, in any order */
    .reference = reference,
    .observe = observe,
};
