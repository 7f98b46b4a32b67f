/* triton_matmul - the family `tensor_matmul` with Triton's kernel: the same matrices, bytes, operations and
 * tolerance, C = A B' with both matrices along the sum, so that all stand in one table. build.py compiles
 * kernels.py's `matmul` for the tiles of MATMUL_TILES there; no other tile has code. */
#include "../matmul.h"

#include <stdio.h>

static const char *const variants[] = {"grouped", NULL};

enum {
    VARIANT,
    DTYPE,
    M,
    N,
    K,
    BLOCK_M,
    BLOCK_N,
    BLOCK_K,
    GROUP_M,
    NUM_WARPS,
    NUM_STAGES,
    CACHE,
    ARCH,
    AXES
};
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "grouped"),
    [DTYPE] = AXIS_DTYPE("bf16"),
    [M] = AXIS_NUMBER("m", "elements", "rows of A and C", "1024", 1, 1 << 20, false),
    [N] = AXIS_NUMBER("n", "elements", "rows of B and columns of C", "1024", 1, 1 << 20, false),
    [K] = AXIS_NUMBER("k", "elements", "columns of A and B", "1024", 1, 1 << 20, false),
    [BLOCK_M] = AXIS_NUMBER("block_m", "elements", "BLOCK_M: rows of C of a program", "128", 16, 256, true),
    [BLOCK_N] =
        AXIS_NUMBER("block_n", "elements", "BLOCK_N: columns of C of a program", "256", 16, 256, true),
    [BLOCK_K] =
        AXIS_NUMBER("block_k", "elements", "BLOCK_K: elements of the sum at a time", "64", 16, 256, true),
    [GROUP_M] =
        AXIS_NUMBER("group_m", "programs",
                    "GROUP_M: rows of programs that are taken together, column by column", "8", 1, 64, true),
    [NUM_WARPS] = AXIS_NUMBER("num_warps", "warps", "warps of a program", "8", 1, 32, true),
    [NUM_STAGES] =
        AXIS_NUMBER("num_stages", "stages", "stages of the loop that Triton makes", "3", 1, 8, true),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

static uint64_t of(const struct point *point, int axis)
{
    return (uint64_t)point->value[axis];
}

static uint64_t programs(const struct point *point)
{
    return (of(point, M) + of(point, BLOCK_M) - 1) / of(point, BLOCK_M) *
           ((of(point, N) + of(point, BLOCK_N) - 1) / of(point, BLOCK_N));
}

/* The kernels were compiled for sizes that 16 divides, as Triton compiles them when it is called with such,
 * and index elements in 32 bits. */
static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    (void)target;
    if (point->value[DTYPE] != DTYPE_F16 && point->value[DTYPE] != DTYPE_BF16)
        return "the kernel is compiled for f16 and bf16";
    for (int axis = M; axis <= K; axis++)
        if (of(point, axis) % 16) {
            snprintf(reason, size, "the kernel is compiled for sizes that 16 divides, not for %s=%d",
                     axes[axis].name, (int)of(point, axis));
            return reason;
        }
    if (of(point, M) * of(point, K) > INT32_MAX || of(point, N) * of(point, K) > INT32_MAX ||
        of(point, M) * of(point, N) > INT32_MAX)
        return "the kernel counts elements in 32 bits";
    return rules_grid(programs(point), reason, size);
}

static struct matmul product_of(const struct point *point)
{
    return (struct matmul){(enum dtype)point->value[DTYPE], of(point, M), of(point, N), of(point, K)};
}

static struct setup setup(const struct point *point, const struct target *target)
{
    const struct matmul product = product_of(point);
    struct setup setup = {
        .engine = ENGINE_KERNEL,
        .entry = "matmul",
        .argument = {{ARGUMENT_BUFFER, MATMUL_A},
                     {ARGUMENT_BUFFER, MATMUL_B},
                     {ARGUMENT_BUFFER, MATMUL_C},
                     {ARGUMENT_U32, product.m},
                     {ARGUMENT_U32, product.n},
                     {ARGUMENT_U32, product.k},
                     {ARGUMENT_U64, 0},  /* Triton's own: scratch memory of the grid ... */
                     {ARGUMENT_U64, 0}}, /* ... and of its profiler; these kernels use neither */
        .arguments = 8,
        .grid = {(uint32_t)programs(point), 1, 1},
        .block = {32 * (uint32_t)point->value[NUM_WARPS], 1, 1},
        .carveout = -1,
    };
    (void)target;
    matmul_buffers(&product, &setup);
    return setup;
}

static struct work work(const struct point *point)
{
    const struct matmul product = product_of(point);
    return matmul_work(&product);
}

static struct tolerance tolerance(const struct point *point)
{
    const struct matmul product = product_of(point);
    return matmul_tolerance(&product);
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    const struct matmul product = product_of(point);
    (void)buffer;
    matmul_reference(&product, inputs, first, count, out);
}

static struct product_shape product(const struct point *point)
{
    const struct matmul of = product_of(point);
    return matmul_product(&of);
}

static void operand(const struct point *point, const struct inputs *inputs, int side, uint64_t row,
                    uint64_t rows, uint64_t first, uint64_t count, double *out)
{
    const struct matmul of = product_of(point);
    matmul_operand(&of, inputs, side, row, rows, first, count, out);
}

const int warpsweep_family_abi = FAMILY_ABI;
const struct family warpsweep_family = {
    .space = {.kernel = "triton_matmul", .axes = axes, .count = AXES},
    .summary = "multiply matrices by Triton's kernel: tile, warps and stages",
    .materialise = true,
    .tensor_cores = true,
    .data_axes = FAMILY_AXIS(DTYPE) | FAMILY_AXIS(M) | FAMILY_AXIS(N) | FAMILY_AXIS(K),
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .product = product,
    .operand = operand,
};
