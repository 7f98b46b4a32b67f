/* The reference of matmul, and how much a result may differ from it. */
#include "kernels/matmul/matmul.h"

/* The reference sums in f64; the kernels in f32, in any order. With inputs uniform in [-1, 1) a partial sum
 * of i products is about sqrt(i) / 3, so an f32 addition to it errs by some 0.1 sqrt(i) 2^-23, at random:
 * over k additions, a standard deviation of about 0.1 k 2^-24. Twenty of those, and a few roundings for small
 * k, are far below one product (1/4 on average) left out or taken twice. */
struct tolerance matmul_tolerance(const struct point *point)
{
    return (struct tolerance){.absolute = (double)(point->value[MATMUL_K] + 8) * 0x1p-23};
}

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
/* The same code for machines that have twice the width, or four times; without contraction, the bits are the
 * same. */
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
void matmul_reference(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
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

/* B is stored k x n: its rows here are columns there. */
void matmul_operand(const struct point *point, const struct inputs *inputs, int side, uint64_t row,
                    uint64_t rows, uint64_t first, uint64_t count, double *out)
{
    enum { ROWS = 32 };
    const struct matmul_shape s = matmul_shape_of(point);
    double across[ROWS];
    for (uint64_t r = 0; r < rows && side == 0; r++)
        inputs_real_range(inputs, 0, (row + r) * s.k + first, count, out + r * count);
    for (uint64_t i = 0; i < count && side == 1; i++) {
        inputs_real_range(inputs, 1, (first + i) * s.n + row, rows, across);
        for (uint64_t r = 0; r < rows; r++)
            out[r * count + i] = across[r];
    }
}
