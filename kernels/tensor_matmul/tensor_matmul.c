/* tensor_matmul - C = A B' on tensor cores, with cuBLASLt as the baseline. The device code is in tensor_matmul.cu.
 *
 * A is m x k, B is n x k, and C is m x n, all row-major and of one type: both operands lie along the sum, as the instructions read
 * them. */
#include "family/rules.h"

#include <math.h>
#include <stdio.h>

extern const char tensor_matmul_source[], tensor_matmul_claims[];

static const char *const variants[] = {"mma", "wgmma", "cublaslt", NULL};
enum variant { MMA, WGMMA, CUBLASLT };

static const char *const tile_shapes[] = {"128x128", "128x256", NULL};

static const char *const contents[] = {"random", "ones", "zeros", NULL};
enum content { RANDOM, ONES, ZEROS };

/* As in the device code: rows of a tile, elements of a row of a stage, warps that multiply by wgmma, and a box of their results. */
enum {
    TILE_M = 128,
    SLICE = 64,
    WGMMA_THREADS = 384,
    WGMMA_WARPS = 8,
    BOX_ROWS = 16,
    BOX_COLUMNS = 64,
    BOX_BYTES = 2 * BOX_ROWS * BOX_COLUMNS,
    SHARED_BYTES = (227 << 10) - 2048
};

/* Of each side: the bytes of all three matrices then fit 64 bits, and coordinates of tensor maps fit int. */
#define SIDE_MAX (INT64_C(1) << 29)

enum { VARIANT, DTYPE, M, N, K, TILE_SHAPE, STAGES, CLUSTER, GROUP, DATA, CACHE, ARCH, AXES };
static const struct axis axes[AXES] = {
    [VARIANT] = AXIS_VARIANT(variants, "mma"),
    [DTYPE] = AXIS_DTYPE("bf16"),
    [M] = AXIS_NUMBER("m", "elements", "rows of A and C", "1024", 1, SIDE_MAX, false),
    [N] = AXIS_NUMBER("n", "elements", "rows of B and columns of C", "1024", 1, SIDE_MAX, false),
    [K] = AXIS_NUMBER("k", "elements", "columns of A and B", "1024", 1, SIDE_MAX, false),
    [TILE_SHAPE] = AXIS_WORDS("tile_shape", "rows x columns of C that a block computes at a time", "128x256",
                              tile_shapes, true),
    [STAGES] = AXIS_NUMBER("stages", "stages", "slices of A and B in shared memory", "4", 2, 8, true),
    [CLUSTER] = AXIS_NUMBER("cluster", "blocks", "wgmma: blocks that share the slices of B", "2", 1, 2, true),
    [GROUP] = AXIS_NUMBER("group", "tiles",
                          "rows of tiles (wgmma: of clusters) that are taken together, column by column", "8",
                          1, 1 << 20, false),
    [DATA] = AXIS_WORDS("data", "contents of A and B, on which power depends: random in [-1, 1), ones, zeros",
                        "random", contents, false),
    [CACHE] = AXIS_CACHE,
    [ARCH] = AXIS_ARCHITECTURE,
};

/* C in tiles: `down` x `across`, those of a cluster counted as one. */
struct shape {
    uint64_t m, n, k, tile_n, stages, cluster, down, across, stage_bytes;
};

static struct shape shape_of(const struct point *point)
{
    const int64_t *value = point->value;
    bool wgmma = value[VARIANT] == WGMMA;
    struct shape s = {.m = (uint64_t)value[M],
                      .n = (uint64_t)value[N],
                      .k = (uint64_t)value[K],
                      .tile_n = UINT64_C(128) << value[TILE_SHAPE],
                      .stages = (uint64_t)value[STAGES],
                      .cluster = wgmma ? (uint64_t)value[CLUSTER] : 1};
    s.down = (s.m + TILE_M * s.cluster - 1) / (TILE_M * s.cluster);
    s.across = (s.n + s.tile_n - 1) / s.tile_n;
    s.stage_bytes = (TILE_M + s.tile_n) * 2 * SLICE;
    return s;
}

/* Boxes of results that each warp has in shared memory: as many as fit beside the stages, at most a row of the tile. */
static uint64_t slots_of(const struct shape *s)
{
    uint64_t stages = s->stages * s->stage_bytes, most = s->tile_n / BOX_COLUMNS;
    uint64_t fitting = stages < SHARED_BYTES ? (SHARED_BYTES - stages) / (WGMMA_WARPS * BOX_BYTES) : 0;
    return fitting < most ? fitting : most;
}

/* Dynamic shared memory of a block. mma: stages, then the tile of C in their place. wgmma: stages, results, and two barriers for
 * each stage. */
static uint64_t shared_of(const struct point *point)
{
    struct shape s = shape_of(point);
    uint64_t stages = s.stages * s.stage_bytes, tile = 2 * TILE_M * s.tile_n;
    if (point->value[VARIANT] == MMA)
        return stages < tile ? tile : stages;
    return stages + slots_of(&s) * WGMMA_WARPS * BOX_BYTES + 16 * s.stages;
}

/* ---- unsupported points ---- */

static const char *skip_mma(const struct point *point, const struct target *target, char *reason, size_t size)
{
    struct point standard = point_standard(point->space);
    if (point->value[CLUSTER] != standard.value[CLUSTER])
        return "only wgmma has cluster to choose";
    return rules_capability("mma", 80, point, target, reason, size);
}

static const char *skip_wgmma(const struct point *point, const struct target *target, char *reason,
                              size_t size)
{
    struct shape s = shape_of(point);
    int64_t wanted = point->value[ARCH];
    int capability = rules_code_capability(point, target);
    if (capability && (capability != 90 || (wanted != ARCH_NATIVE && wanted % 10 != 1)))
        return "wgmma is of sm_90a alone";
    if (!slots_of(&s)) {
        snprintf(reason, size, "%d stages leave no shared memory for the results", (int)s.stages);
        return reason;
    }
    return NULL;
}

static const char *skip_cublaslt(const struct point *point, char *reason, size_t size)
{
    static const int own[] = {TILE_SHAPE, STAGES, CLUSTER, GROUP, ARCH};
    struct point standard = point_standard(point->space);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (point->value[own[i]] != standard.value[own[i]]) {
            snprintf(reason, size, "cublaslt is the vendor's multiplication: it has no %s to choose",
                     axes[own[i]].name);
            return reason;
        }
    return NULL;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    struct shape s = shape_of(point);
    const char *why;
    if (dtype != DTYPE_F16 && dtype != DTYPE_BF16) {
        snprintf(reason, size, "no product of %s is written here", dtype_words[dtype]);
        return reason;
    }
    if (point->value[VARIANT] == CUBLASLT)
        return skip_cublaslt(point, reason, size);
    if (s.n % 8 || s.k % 8)
        return "rows are copied by 16 bytes: n and k are multiples of 8";
    why = point->value[VARIANT] == MMA ? skip_mma(point, target, reason, size)
                                       : skip_wgmma(point, target, reason, size);
    if (why)
        return why;
    if (target->shared_bytes && shared_of(point) > target->shared_bytes) {
        snprintf(reason, size, "%d bytes of shared memory are more than the %d of a block",
                 (int)shared_of(point), (int)target->shared_bytes);
        return reason;
    }
    return rules_grid(s.down * s.across * s.cluster, reason, size);
}

/* ---- launch ---- */

static void setup_mma(struct setup *s, const struct shape *shape, uint64_t group)
{
    const struct argument arguments[] = {
        {ARGUMENT_BUFFER, 0},        {ARGUMENT_BUFFER, 1},          {ARGUMENT_BUFFER, 2},
        {ARGUMENT_U32, shape->m},    {ARGUMENT_U32, shape->n},      {ARGUMENT_U32, shape->k},
        {ARGUMENT_U32, shape->down}, {ARGUMENT_U32, shape->across}, {ARGUMENT_U32, group}};
    s->arguments = sizeof arguments / sizeof *arguments;
    memcpy(s->argument, arguments, sizeof arguments);
    s->grid[0] = (uint32_t)(shape->down * shape->across);
    s->block[0] = (uint32_t)shape->tile_n; /* a warp for each 64 x 64 elements */
}

/* A slice of a matrix with `rows` rows comes in boxes of `box_rows`, which the hardware swizzles. */
static struct tensor slices(int buffer, uint64_t rows, uint64_t columns, uint64_t box_rows)
{
    return (struct tensor){.buffer = buffer,
                           .rows = rows,
                           .columns = columns,
                           .box_rows = (uint32_t)box_rows,
                           .box_columns = SLICE,
                           .swizzle = SWIZZLE_128B};
}

static void setup_wgmma(struct setup *s, const struct shape *shape, uint64_t group,
                        const struct target *target)
{
    const struct argument arguments[] = {{ARGUMENT_TENSOR, 0},        {ARGUMENT_TENSOR, 1},
                                         {ARGUMENT_TENSOR, 2},        {ARGUMENT_U32, shape->k},
                                         {ARGUMENT_U32, shape->down}, {ARGUMENT_U32, shape->across},
                                         {ARGUMENT_U32, group}};
    uint64_t clusters = rules_multiprocessors(target) / shape->cluster, tiles = shape->down * shape->across;
    s->arguments = sizeof arguments / sizeof *arguments;
    memcpy(s->argument, arguments, sizeof arguments);
    s->tensor[0] = slices(0, shape->m, shape->k, TILE_M);
    s->tensor[1] = slices(1, shape->n, shape->k, shape->tile_n / shape->cluster);
    s->tensor[2] = slices(2, shape->m, shape->n, BOX_ROWS); /* a box of results is as wide as a slice */
    s->grid[0] = (uint32_t)((tiles < clusters ? tiles : clusters) * shape->cluster);
    s->block[0] = WGMMA_THREADS;
}

static struct fill contents_of(const struct point *point)
{
    float low[] = {[RANDOM] = -1, [ONES] = 1, [ZEROS] = 0}, high[] = {[RANDOM] = 1, [ONES] = 1, [ZEROS] = 0};
    int64_t data = point->value[DATA];
    return (struct fill){.kind = FILL_RANDOM, .low = low[data], .high = high[data]};
}

static struct setup setup(const struct point *point, const struct target *target)
{
    struct shape shape = shape_of(point);
    enum dtype dtype = (enum dtype)point->value[DTYPE];
    struct setup s = {
        .engine = point->value[VARIANT] == CUBLASLT ? ENGINE_GEMM_LT : ENGINE_KERNEL,
        .entry = "tensor_matmul",
        .buffer = {buffer_input("a", dtype, shape.m * shape.k, contents_of(point)),
                   buffer_input("b", dtype, shape.n * shape.k, contents_of(point)),
                   buffer_output("c", dtype, shape.m * shape.n)},
        .buffers = 3,
        .grid = {1, 1, 1},
        .block = {1, 1, 1},
        .carveout = -1,
        .shape = {shape.m, shape.n, shape.k, 1},
    };
    if (point->value[VARIANT] == MMA)
        setup_mma(&s, &shape, (uint64_t)point->value[GROUP]);
    if (point->value[VARIANT] == WGMMA)
        setup_wgmma(&s, &shape, (uint64_t)point->value[GROUP], target);
    if (point->value[VARIANT] != CUBLASLT)
        s.shared_dynamic = (uint32_t)shared_of(point);
    return s;
}

/* ---- work and reference ---- */

/* Each matrix once; a multiplication and an addition for each of m n k. */
static struct work work(const struct point *point)
{
    struct shape s = shape_of(point);
    return (struct work){.bytes_read = 2 * (s.m * s.k + s.n * s.k),
                         .bytes_written = 2 * s.m * s.n,
                         .flops = 2 * s.m * s.n * s.k};
}

/* Ones and zeros give whole numbers: exact in f32 up to 2^24, then rounded once. With inputs uniform in [-1, 1) a partial sum of i
 * products is about sqrt(i) / 3. Tensor cores add 16 products at a time, and may cut instead of round: one place, 2^-23 of the
 * sum, always towards zero, is k^1.5 2^-29 in all. The bound is 16 times that. Two nearly equal sums may then be rounded to
 * neighbouring values of the type: 2^-7 of bf16, 2^-10 of f16. */
static struct tolerance tolerance(const struct point *point)
{
    double k = (double)point->value[K];
    if (point->value[DATA] != RANDOM)
        return rules_exact(point);
    return (struct tolerance){.relative = point->value[DTYPE] == DTYPE_BF16 ? 0x1p-7 : 0x1p-10,
                              .absolute = k * sqrt(k) * 0x1p-25};
}

/* A patch of C is summed in f64, a piece of the rows of A and B at a time. The order of a sum depends on k alone, so that a
 * portion of C has the same bits as the whole. */
enum { PATCH_ROWS = 16, PATCH_COLUMNS = 256, PIECE = 512, LANES = 8 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

static void load_piece(const struct inputs *inputs, int buffer, uint64_t first, uint64_t count, lanes *out)
{
    memset(out, 0, PIECE * sizeof(double));
    inputs_real_range(inputs, buffer, first, count, (double *)out);
}

static double multiply_piece(const lanes *a, const lanes *b)
{
    lanes sum[2] = {0};
    double total = 0;
    for (int i = 0; i < PIECE / LANES; i += 2) {
        sum[0] += a[i] * b[i];
        sum[1] += a[i + 1] * b[i + 1];
    }
    for (int i = 0; i < LANES; i++)
        total += sum[0][i] + sum[1][i];
    return total;
}

/* Rows [row, row + rows) x columns [column, column + columns) of C; `out` is where the first goes. */
static void sum_patch(const struct shape *s, const struct inputs *inputs, uint64_t row, uint64_t rows,
                      uint64_t column, uint64_t columns, char *out)
{
    lanes a[PATCH_ROWS][PIECE / LANES], b[PIECE / LANES];
    double sum[PATCH_ROWS][PATCH_COLUMNS] = {0};
    enum dtype dtype = inputs->setup->buffer[2].dtype;
    for (uint64_t k = 0; k < s->k; k += PIECE) {
        uint64_t count = s->k - k < PIECE ? s->k - k : PIECE;
        for (uint64_t r = 0; r < rows; r++)
            load_piece(inputs, 0, (row + r) * s->k + k, count, a[r]);
        for (uint64_t j = 0; j < columns; j++) {
            load_piece(inputs, 1, (column + j) * s->k + k, count, b);
            for (uint64_t r = 0; r < rows; r++)
                sum[r][j] += multiply_piece(a[r], b);
        }
    }
    for (uint64_t r = 0; r < rows; r++)
        for (uint64_t j = 0; j < columns; j++)
            sum[r][j] = (double)(float)sum[r][j]; /* as the kernels: to f32 first */
    for (uint64_t r = 0; r < rows; r++)
        dtype_store_range(dtype, out + r * s->n * 2, sum[r], columns);
}

/* A range of C is the end of one row, whole rows, and the start of another. */
static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    struct shape s = shape_of(point);
    char *to = out;
    (void)buffer;
    while (count) {
        uint64_t row = first / s.n, column = first % s.n, rows = 1, columns = s.n - column;
        if (column == 0 && count >= s.n)
            rows = count / s.n < PATCH_ROWS ? count / s.n : PATCH_ROWS;
        else if (columns > count)
            columns = count;
        for (uint64_t done = 0; done < columns; done += PATCH_COLUMNS)
            sum_patch(&s, inputs, row, rows, column + done,
                      columns - done < PATCH_COLUMNS ? columns - done : PATCH_COLUMNS, to + 2 * done);
        first += rows * columns; /* more than one row: whole rows */
        count -= rows * columns;
        to += 2 * rows * columns;
    }
}

const struct family family_tensor_matmul = {
    .space = {.kernel = "tensor_matmul", .axes = axes, .count = AXES},
    .summary = "multiply f16 or bf16 matrices on tensor cores: mma, wgmma, and the vendor's library",
    .materialise = true,
    .data_axes = FAMILY_AXIS(DTYPE) | FAMILY_AXIS(M) | FAMILY_AXIS(N) | FAMILY_AXIS(K) | FAMILY_AXIS(DATA),
    .source = tensor_matmul_source,
    .claims = tensor_matmul_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
};
