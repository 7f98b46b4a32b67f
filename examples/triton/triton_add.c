/* triton_add - the family `add` with Triton's kernel: the same arrays, bytes, operations and reference, so
 * that both stand in one table. build.py compiles kernels.py's `add` for every block_size, num_warps and
 * dtype.
 *
 * How Triton spreads a block over threads decides the accesses: each thread takes as many neighbouring
 * elements as make 16 bytes, but no more than its share, block_size / (32 num_warps); what is left of the
 * block comes in further rounds. */
#include "family/rules.h"

#include <stdio.h>

static const char *const variants[] = {"masked", NULL};

enum { VARIANT, ROWS, COLUMNS, DTYPE, BLOCK_SIZE, NUM_WARPS, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "masked"),
    [ROWS] = AXIS_NUMBER("rows", "elements", "rows of each array", "4096", 1, 1 << 20, false),
    [COLUMNS] = AXIS_NUMBER("columns", "elements", "columns of each array", "4096", 1, 1 << 24, false),
    [DTYPE] = AXIS_DTYPE("f32"),
    [BLOCK_SIZE] = AXIS_NUMBER("block_size", "elements", "BLOCK_SIZE: elements that a program adds", "1024",
                               32, 1 << 20, true),
    [NUM_WARPS] = AXIS_NUMBER("num_warps", "warps", "warps of a program", "4", 1, 32, true),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

static uint64_t elements(const struct point *point)
{
    return (uint64_t)point->value[ROWS] * (uint64_t)point->value[COLUMNS];
}

static uint64_t programs(const struct point *point)
{
    uint64_t block = (uint64_t)point->value[BLOCK_SIZE];
    return (elements(point) + block - 1) / block;
}

/* The kernels were compiled for lengths that 16 divides, as Triton compiles them when it is called with one,
 * and count elements in 32 bits. */
static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    (void)target;
    if (elements(point) % 16)
        snprintf(reason, size, "the kernel is compiled for lengths that 16 divides, not for %llu elements",
                 (unsigned long long)elements(point));
    else if (elements(point) > INT32_MAX)
        snprintf(reason, size, "the kernel counts elements in 32 bits");
    else
        return rules_grid(programs(point), reason, size);
    return reason;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    uint64_t count = elements(point);
    (void)target;
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "add",
        .buffer = {buffer_input("a", dtype, count, random), buffer_input("b", dtype, count, random),
                   buffer_output("out", dtype, count)},
        .buffers = 3,
        .argument = {{ARGUMENT_BUFFER, 0},
                     {ARGUMENT_BUFFER, 1},
                     {ARGUMENT_BUFFER, 2},
                     {ARGUMENT_U32, count},
                     {ARGUMENT_U64, 0},  /* Triton's own: scratch memory of the grid ... */
                     {ARGUMENT_U64, 0}}, /* ... and of its profiler; these kernels use neither */
        .arguments = 6,
        .grid = {(uint32_t)programs(point), 1, 1},
        .block = {32 * (uint32_t)point->value[NUM_WARPS], 1, 1},
        .carveout = -1,
    };
}

static struct work work(const struct point *point)
{
    uint64_t bytes = elements(point) * dtype_size((enum dtype)point->value[DTYPE]);
    return (struct work){.bytes_read = 2 * bytes, .bytes_written = bytes, .flops = elements(point)};
}

/* One addition, correctly rounded, whose reference in double is rounded once more to the same: as in
 * kernels/add. */
static struct tolerance tolerance(const struct point *point)
{
    (void)point;
    return (struct tolerance){0};
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    (void)buffer;
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    for (uint64_t i = 0; i < count; i++)
        dtype_store(dtype, (char *)out + i * dtype_size(dtype),
                    inputs_real(inputs, 0, first + i) + inputs_real(inputs, 1, first + i));
}

/* Elements of one access: 16 bytes, or a thread's share if that is less. */
static uint64_t vector_of(const struct point *point)
{
    uint64_t most = 16 / dtype_size((enum dtype)point->value[DTYPE]);
    uint64_t share = (uint64_t)point->value[BLOCK_SIZE] / (32 * (uint64_t)point->value[NUM_WARPS]);
    if (share < 1)
        return 1;
    return share < most ? share : most;
}

/* All of a, all of b, then the stores. */
static bool access_of(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                      struct access *out)
{
    uint64_t threads = s->block[0], vector = vector_of(point), block = (uint64_t)point->value[BLOCK_SIZE];
    uint64_t rounds = (block + threads * vector - 1) / (threads * vector);
    uint64_t array = index / rounds, program = warp / (threads / 32), lane0 = warp % (threads / 32) * 32;
    uint64_t size = dtype_size((enum dtype)point->value[DTYPE]);
    if (array >= 3)
        return false;
    *out = (struct access){.space = ACCESS_GLOBAL,
                           .store = array == 2,
                           .buffer = (int)array,
                           .width = (uint32_t)(vector * size),
                           .times = 1};
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint64_t within = (index % rounds * threads + lane0 + lane) * vector,
                 element = program * block + within;
        if (within >= block || element >= elements(point))
            continue;
        out->active |= 1u << lane;
        out->address[lane] = element * size;
    }
    return true;
}

const int warpsweep_family_abi = FAMILY_ABI;
const struct family warpsweep_family = {
    .space = {.kernel = "triton_add", .axes = axes, .count = AXES},
    .summary = "add two arrays by Triton's kernel: BLOCK_SIZE and num_warps",
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .access = access_of,
};
