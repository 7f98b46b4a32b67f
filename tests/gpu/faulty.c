/* faulty - a copy that goes wrong where it is asked to: for tests/gpu/matrix.sh. `memory` wants more than a
 * device has. */
#include "family/rules.h"

static const char *const faults[] = {"none",    "bounds", "misaligned", "assertion",
                                     "endless", "wrong",  "memory",     NULL};

enum { FAULT, SIZE, BLOCK, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [FAULT] = AXIS_VARIANT(faults, "none"),
    [SIZE] = AXIS_SIZE("1MiB"),
    [BLOCK] = AXIS_BLOCK("256"),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

static uint64_t elements(const struct point *point)
{
    return (uint64_t)point->value[SIZE] / 4;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    return rules_whole_elements(point->value[SIZE], DTYPE_F32, reason, size);
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    uint64_t n = elements(point), block = (uint64_t)point->value[BLOCK];
    /* A TiB of floats is more than any device holds. */
    uint64_t in = !strcmp(faults[point->value[FAULT]], "memory") ? UINT64_C(1) << 38 : n;
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "faulty",
        .buffer = {buffer_output("out", DTYPE_F32, n), buffer_input("in", DTYPE_F32, in, random)},
        .buffers = 2,
        .argument = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}, {ARGUMENT_U64, n}},
        .arguments = 3,
        .grid = {(uint32_t)((n + block - 1) / block), 1, 1},
        .block = {(uint32_t)block, 1, 1},
        .carveout = -1,
    };
}

static struct work work(const struct point *point)
{
    uint64_t bytes = elements(point) * 4;
    return (struct work){.bytes_read = bytes, .bytes_written = bytes};
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    inputs_load_range(inputs, 1, first, count, out);
}

const int warpsweep_family_abi = FAMILY_ABI;
const struct family warpsweep_family = {
    .space = {.kernel = "faulty", .axes = axes, .count = AXES},
    .summary = "a copy that goes wrong where it is asked to",
    .source = NULL, /* faulty.cu, beside faulty.so */
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = rules_exact,
    .reference = reference,
};
