/* matmul - C = A B in f32, with cuBLAS and cuBLASLt (without TF32) as baselines. Device code: matmul.cu; access pattern:
 * access.c. */
#include "kernels/matmul/matmul.h"

#include <stdio.h>

#include "family/rules.h"

extern const char matmul_source[], matmul_claims[];

static const char *const variants[] = {"naive", "tiled", "register", "cublas", "cublaslt", NULL};

/* Of each side: the bytes of all three matrices then fit 64 bits, and indices along a side fit int. */
#define SIDE_MAX (INT64_C(1) << 29)

static const struct axis axes[MATMUL_AXES] = {
    [MATMUL_VARIANT] = AXIS_VARIANT(variants, "register"),
    [MATMUL_M] = AXIS_NUMBER("m", "elements", "rows of A and C", "1024", 1, SIDE_MAX, false),
    [MATMUL_N] = AXIS_NUMBER("n", "elements", "columns of B and C", "1024", 1, SIDE_MAX, false),
    [MATMUL_K] = AXIS_NUMBER("k", "elements", "columns of A, rows of B", "1024", 1, SIDE_MAX, false),
    [MATMUL_TILE] = AXIS_NUMBER("tile", "elements", "tiled: side of the square tile that a block works on",
                                "32", 8, 128, true),
    [MATMUL_BLOCK_TILE] =
        AXIS_NUMBER("block_tile", "elements", "register: side of the square of C that a block makes", "128",
                    64, 128, true),
    [MATMUL_OUTPUTS] = AXIS_NUMBER("outputs", "elements",
                                   "register: side of the square of C that a thread makes", "8", 2, 8, true),
    [MATMUL_SLICE] = AXIS_NUMBER("slice", "elements", "register: columns of A and rows of B staged at a time",
                                 "8", 8, 16, true),
    [MATMUL_CARVEOUT] = AXIS_CARVEOUT("default"),
    [MATMUL_CACHE] = AXIS_CACHE,
    [MATMUL_ARCH] = AXIS_ARCHITECTURE,
};

/* ---- unsupported points ---- */

static const char *skip_tiled(const struct point *point, char *reason, size_t size)
{
    int tile = (int)point->value[MATMUL_TILE];
    if (tile == 8 || tile == 16 || tile == 32)
        return NULL;
    snprintf(reason, size, "a tile of %d elements is none of 8, 16 and 32", tile);
    return reason;
}

static const char *skip_register(const struct point *point, char *reason, size_t size)
{
    int block_tile = (int)point->value[MATMUL_BLOCK_TILE], outputs = (int)point->value[MATMUL_OUTPUTS];
    int slice = (int)point->value[MATMUL_SLICE];
    if (block_tile != 64 && block_tile != 128)
        snprintf(reason, size, "a block tile of %d elements is neither 64 nor 128", block_tile);
    else if (outputs != 2 && outputs != 4 && outputs != 8)
        snprintf(reason, size, "%d outputs are none of 2, 4 and 8", outputs);
    else if (slice != 8 && slice != 16)
        snprintf(reason, size, "a slice of %d elements is neither 8 nor 16", slice);
    else if (block_tile / outputs > 32)
        snprintf(reason, size, "%d x %d threads make a block tile of %d by %d x %d outputs; a block has 1024",
                 block_tile / outputs, block_tile / outputs, block_tile, outputs, outputs);
    else
        return NULL;
    return reason;
}

/* Axes that another variant is about must be left alone: a point that varies them would measure nothing new.
 */
static const char *skip_unused(const struct point *point, char *reason, size_t size)
{
    static const struct {
        int axis;
        enum matmul_variant user;
    } uses[] = {{MATMUL_TILE, MATMUL_TILED},
                {MATMUL_BLOCK_TILE, MATMUL_REGISTER},
                {MATMUL_OUTPUTS, MATMUL_REGISTER},
                {MATMUL_SLICE, MATMUL_REGISTER}};
    struct point standard = point_standard(point->space);
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        if ((int)uses[i].user == point->value[MATMUL_VARIANT] ||
            point->value[uses[i].axis] == standard.value[uses[i].axis])
            continue;
        snprintf(reason, size, "only %s has %s to choose", variants[uses[i].user],
                 point->space->axes[uses[i].axis].name);
        return reason;
    }
    if (point->value[MATMUL_VARIANT] < MATMUL_CUBLAS ||
        (point->value[MATMUL_ARCH] == ARCH_NATIVE && !point->value[MATMUL_CARVEOUT]))
        return NULL;
    snprintf(reason, size, "%s is the vendor's multiplication: it has no arch or carveout to choose",
             variants[point->value[MATMUL_VARIANT]]);
    return reason;
}

static const char *skip(const struct point *point, const struct target *target, char *reason, size_t size)
{
    (void)target;
    const char *why = skip_unused(point, reason, size);
    if (!why && point->value[MATMUL_VARIANT] == MATMUL_TILED)
        why = skip_tiled(point, reason, size);
    if (!why && point->value[MATMUL_VARIANT] == MATMUL_REGISTER)
        why = skip_register(point, reason, size);
    if (why)
        return why;
    struct matmul_shape s = matmul_shape_of(point);
    return rules_grid(s.down * s.across, reason, size);
}

/* ---- launch and arithmetic ---- */

static struct setup setup(const struct point *point, const struct target *target)
{
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    struct matmul_shape shape = matmul_shape_of(point);
    bool aligned = shape.variant == MATMUL_REGISTER && shape.aligned;
    (void)target;
    return (struct setup){
        .engine = shape.variant == MATMUL_CUBLAS     ? ENGINE_GEMM
                  : shape.variant == MATMUL_CUBLASLT ? ENGINE_GEMM_LT
                                                     : ENGINE_KERNEL,
        .entry = aligned ? "matmul_aligned" : "matmul",
        .buffer = {buffer_input("a", DTYPE_F32, shape.m * shape.k, random),
                   buffer_input("b", DTYPE_F32, shape.k * shape.n, random),
                   buffer_output("c", DTYPE_F32, shape.m * shape.n)},
        .buffers = 3,
        .argument = {{ARGUMENT_BUFFER, 0},
                     {ARGUMENT_BUFFER, 1},
                     {ARGUMENT_BUFFER, 2},
                     {ARGUMENT_U32, shape.m},
                     {ARGUMENT_U32, shape.n},
                     {ARGUMENT_U32, shape.k}},
        .arguments = 6,
        .grid = {(uint32_t)(shape.down * shape.across), 1, 1},
        .block = {shape.threads, 1, 1},
        .carveout = rules_carveout(point->value[MATMUL_CARVEOUT]),
        .shape = {shape.m, shape.n, shape.k},
    };
}

/* Each matrix once; a multiplication and an addition for each of m n k. */
static struct work work(const struct point *point)
{
    struct matmul_shape s = matmul_shape_of(point);
    return (struct work){.bytes_read = 4 * (s.m * s.k + s.k * s.n),
                         .bytes_written = 4 * s.m * s.n,
                         .flops = 2 * s.m * s.n * s.k};
}

/* The reference sums in f64; the kernels in f32, in any order. With inputs uniform in [-1, 1) a partial sum
 * of i products is about sqrt(i) / 3, so an f32 addition to it errs by some 0.1 sqrt(i) 2^-23, at random:
 * over k additions, a standard deviation of about 0.1 k 2^-24. Twenty of those, and a few roundings for small
 * k, are far below one product (1/4 on average) left out or taken twice. */
static struct tolerance tolerance(const struct point *point)
{
    return (struct tolerance){.absolute = (double)(point->value[MATMUL_K] + 8) * 0x1p-23};
}

/* ---- the reference ---- */

/* A patch of C is summed in f64, eight columns to a vector: a piece of a row of B is converted once for all
 * rows of the patch, and all of it stays in L1 and L2. Each sum is taken in the order of k, so that a portion
 * of C has the same bits as the whole. */
enum { PATCH_ROWS = 16, LANES = 8, PATCH_VECTORS = 32, PATCH_COLUMNS = PATCH_VECTORS * LANES, STEP = 4 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef float narrow_lanes __attribute__((vector_size(LANES * sizeof(float))));

static inline double load(const struct inputs *inputs, int buffer, uint64_t index)
{
    const float *data = inputs->data[buffer];
    return data ? (double)data[index] : inputs_real(inputs, buffer, index);
}

/* `count` neighbours of B as vectors, zeros after the last. */
static inline void load_columns(const struct inputs *inputs, uint64_t first, uint64_t count, lanes *out)
{
    const float *data = inputs->data[1];
    uint64_t i = 0;
    for (; data && i + LANES <= count; i += LANES) {
        narrow_lanes four;
        memcpy(&four, data + first + i, sizeof four);
        out[i / LANES] = __builtin_convertvector(four, lanes);
    }
    for (; i < count; i += LANES)
        for (uint64_t j = 0; j < LANES; j++)
            out[i / LANES][j] = i + j < count ? load(inputs, 1, first + i + j) : 0;
}

/* Rows [row, row + rows) x columns [column, column + columns) of C; `out` is where the first goes. */
static inline void sum_patch(const struct matmul_shape *s, const struct inputs *inputs, uint64_t row,
                             uint64_t rows, uint64_t column, uint64_t columns, float *out)
{
    lanes sum[PATCH_ROWS][PATCH_VECTORS], b[STEP][PATCH_VECTORS];
    uint64_t vectors = (columns + LANES - 1) / LANES;
    memset(b, 0, sizeof b);
    for (uint64_t r = 0; r < rows; r++)
        memset(sum[r], 0, vectors * sizeof(lanes));
    for (uint64_t i = 0; i < s->k; i += STEP) {
        uint64_t steps = s->k - i < STEP ? s->k - i : STEP;
        for (uint64_t step = 0; step < steps; step++)
            load_columns(inputs, (i + step) * s->n + column, columns, b[step]);
        for (uint64_t r = 0; r < rows; r++) {
            double a[STEP] = {0}; /* past the end, nothing is added */
            for (uint64_t step = 0; step < steps; step++)
                a[step] = load(inputs, 0, (row + r) * s->k + i + step);
            for (uint64_t j = 0; j < vectors; j++)
                sum[r][j] = sum[r][j] + a[0] * b[0][j] + a[1] * b[1][j] + a[2] * b[2][j] + a[3] * b[3][j];
        }
    }
    for (uint64_t r = 0; r < rows; r++)
        for (uint64_t j = 0; j < columns; j++)
            out[r * s->n + j] = (float)sum[r][j / LANES][j % LANES];
}

/* One element by itself: what samples of a large C ask for. */
static float sum_element(const struct matmul_shape *s, const struct inputs *inputs, uint64_t row,
                         uint64_t column)
{
    double sum = 0;
    for (uint64_t i = 0; i < s->k; i++)
        sum += load(inputs, 0, row * s->k + i) * load(inputs, 1, i * s->n + column);
    return (float)sum;
}

#ifdef __x86_64__
/* The same code for machines that have twice the width, or four times; without contraction, the bits are the same. */
__attribute__((target("avx2"), flatten)) static void sum_patch_avx2(const struct matmul_shape *s,
                                                                    const struct inputs *inputs, uint64_t row,
                                                                    uint64_t rows, uint64_t column,
                                                                    uint64_t columns, float *out)
{
    sum_patch(s, inputs, row, rows, column, columns, out);
}

__attribute__((target("avx512f"), flatten)) static void
sum_patch_avx512(const struct matmul_shape *s, const struct inputs *inputs, uint64_t row, uint64_t rows,
                 uint64_t column, uint64_t columns, float *out)
{
    sum_patch(s, inputs, row, rows, column, columns, out);
}
#endif

static void sum_patch_plain(const struct matmul_shape *s, const struct inputs *inputs, uint64_t row,
                            uint64_t rows, uint64_t column, uint64_t columns, float *out)
{
    sum_patch(s, inputs, row, rows, column, columns, out);
}

static void sum_rows(const struct matmul_shape *s, const struct inputs *inputs, uint64_t row, uint64_t rows,
                     uint64_t column, uint64_t columns, float *out)
{
    for (uint64_t done = 0; done < columns; done += PATCH_COLUMNS) {
        uint64_t wide = columns - done < PATCH_COLUMNS ? columns - done : PATCH_COLUMNS;
#ifdef __x86_64__
        if (__builtin_cpu_supports("avx512f")) {
            sum_patch_avx512(s, inputs, row, rows, column + done, wide, out + done);
            continue;
        }
        if (__builtin_cpu_supports("avx2")) {
            sum_patch_avx2(s, inputs, row, rows, column + done, wide, out + done);
            continue;
        }
#endif
        sum_patch_plain(s, inputs, row, rows, column + done, wide, out + done);
    }
}

/* A range of C is the end of one row, whole rows, and the start of another. */
static void reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                      uint64_t count, void *out)
{
    (void)buffer;
    struct matmul_shape s = matmul_shape_of(point);
    float *to = out;
    while (count) {
        uint64_t row = first / s.n, column = first % s.n, rows = 1, columns = s.n - column;
        if (column == 0 && count >= s.n)
            rows = count / s.n < PATCH_ROWS ? count / s.n : PATCH_ROWS;
        else if (columns > count)
            columns = count;
        if (rows == 1 && columns == 1)
            *to = sum_element(&s, inputs, row, column);
        else
            sum_rows(&s, inputs, row, rows, column, columns, to);
        uint64_t done = rows * columns; /* more than one row: whole rows */
        first += done;
        count -= done;
        to += done;
    }
}

const struct family family_matmul = {
    .space = {.kernel = "matmul", .axes = axes, .count = MATMUL_AXES},
    .summary = "multiply f32 matrices: data reuse in shared memory and registers, and the vendor's libraries",
    .materialise = true,
    .data_axes = FAMILY_AXIS(MATMUL_M) | FAMILY_AXIS(MATMUL_N) | FAMILY_AXIS(MATMUL_K),
    .source = matmul_source,
    .claims = matmul_claims,
    .skip = skip,
    .setup = setup,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .access = matmul_access,
};
