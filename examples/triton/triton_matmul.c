/* triton_matmul - the family `tensor_matmul` with Triton's kernel: the same matrices, bytes, operations and tolerance, C = A B' with
 * both matrices along the sum, so that all stand in one table. build.py compiles kernels.py's `matmul` for the tiles of MATMUL_TILES
 * there; no other tile has code. */
#include "family/rules.h"

#include <math.h>
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

/* The kernels were compiled for sizes that 16 divides, as Triton compiles them when it is called with such, and index elements in 32
 * bits. */
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

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    (void)target;
    return (struct setup){
        .engine = ENGINE_KERNEL,
        .entry = "matmul",
        .buffer = {buffer_input("a", dtype, of(point, M) * of(point, K), random),
                   buffer_input("b", dtype, of(point, N) * of(point, K), random),
                   buffer_output("c", dtype, of(point, M) * of(point, N))},
        .buffers = 3,
        .argument = {{ARGUMENT_BUFFER, 0},
                     {ARGUMENT_BUFFER, 1},
                     {ARGUMENT_BUFFER, 2},
                     {ARGUMENT_U32, of(point, M)},
                     {ARGUMENT_U32, of(point, N)},
                     {ARGUMENT_U32, of(point, K)},
                     {ARGUMENT_U64, 0},  /* Triton's own: scratch memory of the grid ... */
                     {ARGUMENT_U64, 0}}, /* ... and of its profiler; these kernels use neither */
        .arguments = 8,
        .grid = {(uint32_t)programs(point), 1, 1},
        .block = {32 * (uint32_t)point->value[NUM_WARPS], 1, 1},
        .carveout = -1,
    };
}

static struct work work(const struct point *point)
{
    uint64_t m = of(point, M), n = of(point, N), k = of(point, K);
    uint64_t size = dtype_size((enum dtype)point->value[DTYPE]);
    return (struct work){
        .bytes_read = size * (m * k + n * k), .bytes_written = size * m * n, .flops = 2 * m * n * k};
}

/* As in kernels/tensor_matmul/reference.c: 16 times the error of cutting off, by products of 32 bytes; and one place of C. */
static struct tolerance tolerance(const struct point *point)
{
    double k = (double)point->value[K];
    return (struct tolerance){.relative = point->value[DTYPE] == DTYPE_BF16 ? 0x1p-7 : 0x1p-10,
                              .absolute = k * sqrt(k) * 0x1p-21 * 2 / 32};
}

enum { PIECE = 512, LANES = 8 };

/* Row `row` of A times row `column` of B, in an order that depends on k alone. */
static double element(const struct inputs *inputs, uint64_t row, uint64_t column, uint64_t k)
{
    double sum[LANES] = {0}, total = 0, a[PIECE], b[PIECE];
    for (uint64_t i = 0; i < k; i += PIECE) {
        uint64_t count = k - i < PIECE ? k - i : PIECE; /* a multiple of 16 */
        inputs_real_range(inputs, 0, row * k + i, count, a);
        inputs_real_range(inputs, 1, column * k + i, count, b);
        for (uint64_t j = 0; j < count; j += LANES)
            for (uint64_t lane = 0; lane < LANES; lane++)
                sum[lane] += a[j + lane] * b[j + lane];
    }
    for (int lane = 0; lane < LANES; lane++)
        total += sum[lane];
    return total;
}

static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    uint64_t n = of(point, N);
    (void)buffer;
    for (uint64_t i = 0; i < count; i++) /* as the kernel: to f32 first */
        dtype_store(dtype, (char *)out + i * dtype_size(dtype),
                    (double)(float)element(inputs, (first + i) / n, (first + i) % n, of(point, K)));
}

const int warpsweep_family_abi = FAMILY_ABI;
const struct family warpsweep_family = {
    .space = {.kernel = "triton_matmul", .axes = axes, .count = AXES},
    .summary = "multiply matrices by Triton's kernel: tile, warps and stages",
    .materialise = true,
    .data_axes = FAMILY_AXIS(DTYPE) | FAMILY_AXIS(M) | FAMILY_AXIS(N) | FAMILY_AXIS(K),
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
};
