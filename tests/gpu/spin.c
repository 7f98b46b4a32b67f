/* spin - multiply-adds by the thousand, so that twice the work takes twice the time at any size: for ab.sh
 * and paired.sh, which build it once more with -DEXTRA_PERMILLE=20, which does 2 % more. */
#include "family/rules.h"

#ifndef EXTRA_PERMILLE
#define EXTRA_PERMILLE 0
#endif

static const char *const variants[] = {"fma", NULL};

enum { VARIANT, SIZE, DTYPE, BLOCK, ROUNDS, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "fma"),
    [SIZE] = AXIS_SIZE("1MiB"),
    [DTYPE] = AXIS_DTYPE("f32"),
    [BLOCK] = AXIS_BLOCK("256"),
    [ROUNDS] = AXIS_NUMBER("rounds", "", "multiply-adds of each element", "5000", 100, 1000000, false),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

static uint64_t elements(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / dtype_size((enum dtype)point->value[DTYPE]);
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    if (dtype != DTYPE_F32 && dtype != DTYPE_F64)
        return "spin is written for f32 and f64";
    return rules_whole_elements(point->value[SIZE], dtype, reason, size);
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    uint64_t n = elements(point), block = (uint64_t)point->value[BLOCK];
    uint64_t rounds = (uint64_t)point->value[ROUNDS];
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "spin",
        .buffer = {buffer_output("out", dtype, n), buffer_input("in", dtype, n, random)},
        .buffers = 2,
        .argument = {{ARGUMENT_BUFFER, 0},
                     {ARGUMENT_BUFFER, 1},
                     {ARGUMENT_U64, n},
                     {ARGUMENT_U32, rounds + rounds * EXTRA_PERMILLE / 1000}},
        .arguments = 4,
        .grid = {(uint32_t)((n + block - 1) / block), 1, 1},
        .block = {(uint32_t)block, 1, 1},
        .carveout = -1,
    };
}

static struct work work(const struct point *point)
{
    uint64_t n = elements(point), bytes = n * dtype_size((enum dtype)point->value[DTYPE]);
    return (struct work){
        .bytes_read = bytes, .bytes_written = bytes, .flops = 2 * n * (uint64_t)point->value[ROUNDS]};
}

static struct tolerance tolerance(const struct point *point)
{
    return (struct tolerance){.absolute = 1e-5};
}

/* x = x / 2 + 1 comes to 2 from anywhere within some sixty rounds. */
static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    for (uint64_t i = 0; i < count; i++)
        dtype_store(dtype, (char *)out + i * dtype_size(dtype), 2.0);
}

const int warpsweep_family_abi = FAMILY_ABI;
const struct family warpsweep_family = {
    .space = {.kernel = "spin", .axes = axes, .count = AXES},
    .summary = "multiply-adds by the thousand: work that shows in the time at any size",
    .source = NULL, /* spin.cu, beside spin.so */
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
};
