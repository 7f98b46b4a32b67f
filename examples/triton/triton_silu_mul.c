/* triton_silu_mul - the family `silu_mul` with Triton's kernel: the same rows, bytes, operations and
 * reference. build.py compiles kernels.py's `silu_mul` for every block_size, num_warps and dtype. Program
 * (row, i) computes block i of a row; triton_add.c says how its elements lie among threads. */
#include "family/rules.h"

#include <math.h>
#include <stdio.h>

static const char *const variants[] = {"silu", NULL};

enum { VARIANT, BATCH, WIDTH, DTYPE, BLOCK_SIZE, NUM_WARPS, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "silu"),
    [BATCH] = AXIS_NUMBER("batch", "rows", "rows", "8192", 1, INT32_MAX, false),
    [WIDTH] = AXIS_NUMBER("d", "elements", "elements of x, of y and of the output in a row", "4096", 1,
                          1 << 24, false),
    [DTYPE] = AXIS_DTYPE("f16"),
    [BLOCK_SIZE] = AXIS_NUMBER("block_size", "elements", "BLOCK_SIZE: elements that a program computes",
                               "1024", 32, 1 << 20, true),
    [NUM_WARPS] = AXIS_NUMBER("num_warps", "warps", "warps of a program", "4", 1, 32, true),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

static uint64_t blocks_of_row(const struct point *point)
{
    uint64_t d = (uint64_t)point->value[WIDTH], block = (uint64_t)point->value[BLOCK_SIZE];
    return (d + block - 1) / block;
}

/* The kernels were compiled for rows that 16 divides, and index elements in 32 bits. */
static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    (void)target;
    if (point->value[WIDTH] % 16)
        snprintf(reason, size, "the kernel is compiled for rows that 16 divides, not for %lld elements",
                 (long long)point->value[WIDTH]);
    else if (point->value[BATCH] * 2 * point->value[WIDTH] > INT32_MAX)
        snprintf(reason, size, "the kernel counts elements in 32 bits");
    else if (blocks_of_row(point) > 65535)
        snprintf(reason, size, "a row is %llu programs; the grid takes 65535",
                 (unsigned long long)blocks_of_row(point));
    else
        return NULL;
    return reason;
}

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM, .low = -4, .high = 4};
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    uint64_t batch = (uint64_t)point->value[BATCH], d = (uint64_t)point->value[WIDTH];
    (void)target;
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "silu_mul",
        .buffer = {buffer_input("in", dtype, batch * 2 * d, random), buffer_output("out", dtype, batch * d)},
        .buffers = 2,
        .argument = {{ARGUMENT_BUFFER, 0},
                     {ARGUMENT_BUFFER, 1},
                     {ARGUMENT_U32, d},
                     {ARGUMENT_U64, 0},  /* Triton's own: scratch memory of the grid ... */
                     {ARGUMENT_U64, 0}}, /* ... and of its profiler; these kernels use neither */
        .arguments = 5,
        .grid = {(uint32_t)batch, (uint32_t)blocks_of_row(point), 1},
        .block = {32 * (uint32_t)point->value[NUM_WARPS], 1, 1},
        .carveout = -1,
    };
}

/* As kernels/silu_mul counts: negate, exponentiate, add, divide, multiply. */
static struct work work(const struct point *point)
{
    uint64_t count = (uint64_t)point->value[BATCH] * (uint64_t)point->value[WIDTH];
    uint64_t bytes = count * dtype_size((enum dtype)point->value[DTYPE]);
    return (struct work){.bytes_read = 2 * bytes, .bytes_written = bytes, .flops = 5 * count};
}

/* As in kernels/silu_mul, which says why: 30 ulp in float, and one of the narrower type. */
static struct tolerance tolerance(const struct point *point)
{
    static const struct tolerance narrow[DTYPE_COUNT] = {
        [DTYPE_F16] = {.relative = 0x1p-10, .absolute = 0x1p-24}, [DTYPE_BF16] = {.relative = 0x1p-7}};
    struct tolerance t = narrow[point->value[DTYPE]];
    t.relative += 4e-6;
    return t;
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    (void)buffer;
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    uint64_t d = (uint64_t)point->value[WIDTH];
    for (uint64_t i = 0; i < count; i++) {
        uint64_t row = (first + i) / d, column = (first + i) % d;
        double x = inputs_real(inputs, 0, row * 2 * d + column);
        double y = inputs_real(inputs, 0, row * 2 * d + d + column);
        dtype_store(dtype, (char *)out + i * dtype_size(dtype), x / (1 + exp(-x)) * y);
    }
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

/* All of x, all of y, then the stores. Blocks are counted along x, the rows, first. */
static bool access_of(const struct point *point, const struct setup *s, uint64_t warp, uint32_t index,
                      struct access *out)
{
    uint64_t threads = s->block[0], vector = vector_of(point), block = (uint64_t)point->value[BLOCK_SIZE];
    uint64_t rounds = (block + threads * vector - 1) / (threads * vector), d = (uint64_t)point->value[WIDTH];
    uint64_t part = index / rounds, program = warp / (threads / 32), lane0 = warp % (threads / 32) * 32;
    uint64_t row = program % s->grid[0], start = program / s->grid[0] * block;
    uint64_t size = dtype_size((enum dtype)point->value[DTYPE]),
             base = part == 2 ? row * d : row * 2 * d + part * d;
    if (part >= 3)
        return false;
    *out = (struct access){.space = ACCESS_GLOBAL,
                           .store = part == 2,
                           .buffer = part == 2,
                           .width = (uint32_t)(vector * size),
                           .times = 1};
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint64_t within = (index % rounds * threads + lane0 + lane) * vector;
        if (within >= block || start + within >= d)
            continue;
        out->active |= 1u << lane;
        out->address[lane] = (base + start + within) * size;
    }
    return true;
}

const int warpsweep_family_abi = FAMILY_ABI;
const struct family warpsweep_family = {
    .space = {.kernel = "triton_silu_mul", .axes = axes, .count = AXES},
    .summary = "silu(x) * y over rows that hold x, then y, by Triton's kernel: BLOCK_SIZE and num_warps",
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .access = access_of,
};
