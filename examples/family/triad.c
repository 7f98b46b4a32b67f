/* triad - a[i] = b[i] + 3 c[i], as a user would write it outside the tree. The device code is in triad.cu.
 *
 * The script compile builds it; by hand that is
 *
 *   cc -std=gnu17 -shared -fPIC -I PREFIX/include/warpsweep triad.c -o triad.so */
#include "family/rules.h" /* family/family.h, and what families have in common */

#include <stdio.h>

static const char *const variants[] = {"plain", "restrict", NULL};

enum { VARIANT, SIZE, DTYPE, BLOCK, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "plain"),
    [SIZE] = AXIS_SIZE("64MiB"),
    [DTYPE] = AXIS_DTYPE("f32"),
    [BLOCK] = AXIS_BLOCK("256"),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

/* Elements of each array. */
static uint64_t elements(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / dtype_size((enum dtype)point->value[DTYPE]);
}

static uint64_t blocks(const struct point *point)
{
    return (elements(point) + (uint64_t)point->value[BLOCK] - 1) / (uint64_t)point->value[BLOCK];
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    (void)target;
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    if (rules_whole_elements(point->value[SIZE], dtype, reason, size))
        return reason;
    if (dtype == DTYPE_F32 || dtype == DTYPE_F64)
        return rules_grid(blocks(point), reason, size);
    snprintf(reason, size, "triad is written for f32 and f64, not %s", dtype_words[dtype]);
    return reason;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    (void)target;
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    uint64_t n = elements(point);
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "triad_kernel",
        .buffer = {buffer_output("a", dtype, n), buffer_input("b", dtype, n, random),
                   buffer_input("c", dtype, n, random)},
        .buffers = 3,
        .argument = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}, {ARGUMENT_BUFFER, 2}, {ARGUMENT_U64, n}},
        .arguments = 4,
        .grid = {(uint32_t)blocks(point), 1, 1},
        .block = {(uint32_t)point->value[BLOCK], 1, 1},
        .carveout = -1,
    };
}

static struct work work(const struct point *point)
{
    uint64_t n = elements(point), bytes = n * dtype_size((enum dtype)point->value[DTYPE]);
    return (struct work){.bytes_read = 2 * bytes, .bytes_written = bytes, .flops = 2 * n};
}

/* |b + 3 c| <= 4, so one rounding is off by at most half of 2^-22 (f32) or 2^-51 (f64). The GPU may round
 * once (fused) where the reference rounds twice: two such halves on one side, one on the other. */
static struct tolerance tolerance(const struct point *point)
{
    return (struct tolerance){.absolute = point->value[DTYPE] == DTYPE_F32 ? 0x1p-21 : 0x1p-50};
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    (void)buffer;
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    for (uint64_t i = 0; i < count; i++)
        dtype_store(dtype, (char *)out + i * dtype_size(dtype),
                    inputs_real(inputs, 1, first + i) + 3 * inputs_real(inputs, 2, first + i));
}

const int warpsweep_family_abi = FAMILY_ABI;
const struct family warpsweep_family = {
    .space = {.kernel = "triad", .axes = axes, .count = AXES},
    .summary = "a = b + 3 c: two arrays read, one written",
    .source = NULL, /* triad.cu, beside triad.so */
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
};
