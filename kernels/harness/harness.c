/* harness - one kernel from 1 us to 1 ms, timed as warpsweep and as other harnesses do. Device code:
 * harness.cu. */
#include "family/rules.h"

#include <stdio.h>

#include "core/harnesses.h"

extern const char harness_source[];

static const char *const variants[] = {"rounds", NULL};

enum { VARIANT, SIZE, ROUNDS, HARNESS, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "rounds"),
    [SIZE] = AXIS_SIZE("64MiB"),
    [ROUNDS] = AXIS_NUMBER("rounds", "", "multiplications of each element, one after another; 0: a copy", "0",
                           0, INT32_MAX, false),
    [HARNESS] = AXIS_HARNESS,
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

enum { IN, OUT, BUFFERS };
enum { BLOCK = 256, WIDTH = 16 }; /* threads of a block; bytes of a thread */

static uint64_t accesses(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / WIDTH;
}

static uint64_t blocks(const struct point *point)
{
    return (accesses(point) + BLOCK - 1) / BLOCK;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    if (target->host && harness_of(point) != HARNESS_WARPSWEEP)
        return "other harnesses time launches on a GPU: the host has neither streams nor events";
    if (point->value[SIZE] % WIDTH)
        snprintf(reason, size, "%lld bytes are no whole number of %d", (long long)point->value[SIZE], WIDTH);
    else if (!harness_refuses(point, reason, size))
        return rules_grid(blocks(point), reason, size);
    return reason;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1e9, .high = 1e9};
    uint64_t elements = (uint64_t)point->value[SIZE] / sizeof(uint32_t);
    (void)target;
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "harness",
        .buffer = {[IN] = buffer_input("in", DTYPE_I32, elements, random),
                   [OUT] = buffer_output("out", DTYPE_I32, elements)},
        .buffers = BUFFERS,
        .argument = {{ARGUMENT_BUFFER, IN},
                     {ARGUMENT_BUFFER, OUT},
                     {ARGUMENT_U32, accesses(point)},
                     {ARGUMENT_U32, (uint64_t)point->value[ROUNDS]}},
        .arguments = 4,
        .grid = {(uint32_t)blocks(point), 1, 1},
        .block = {BLOCK, 1, 1},
        .carveout = -1,
    };
}

static struct work work(const struct point *point)
{
    uint64_t bytes = (uint64_t)point->value[SIZE], products = bytes / 4 * (uint64_t)point->value[ROUNDS];
    return (struct work){.bytes_read = bytes, .bytes_written = bytes, .special = products / 4};
}

/* All rounds together are x -> factor x + term: by squaring. */
static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    uint32_t factor = 1, term = 0, *result = out;
    (void)buffer;
    for (uint32_t left = (uint32_t)point->value[ROUNDS], a = 1664525, b = 1013904223; left; left /= 2) {
        if (left & 1) {
            factor *= a;
            term = a * term + b;
        }
        b *= a + 1;
        a *= a;
    }
    inputs_load_range(inputs, IN, first, count, result);
    for (uint64_t i = 0; i < count; i++)
        result[i] = factor * result[i] + term;
}

static bool access_of(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                      struct access *out)
{
    uint64_t begin = warp * 32, left = accesses(point) - begin;
    (void)s;
    if (index >= BUFFERS || begin >= accesses(point))
        return false;
    *out = (struct access){.space = ACCESS_GLOBAL,
                           .buffer = index ? OUT : IN,
                           .store = index == OUT,
                           .width = WIDTH,
                           .times = 1};
    access_evenly(out, begin * WIDTH, WIDTH, (uint32_t)(left < 32 ? left : 32));
    return true;
}

const struct family family_harness = {
    .space = {.kernel = "harness", .axes = axes, .count = AXES},
    .summary = "one kernel from 1 us to 1 ms, timed as warpsweep and as other harnesses do",
    .source = harness_source,
    .data_axes = FAMILY_AXIS(SIZE) | FAMILY_AXIS(ROUNDS),
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact,
    .reference = reference,
    .access = access_of,
};
