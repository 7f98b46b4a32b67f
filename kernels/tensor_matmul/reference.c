/* The reference of tensor_matmul, and how near a product has to come to it. */
#include "kernels/tensor_matmul/tensor_matmul.h"

#include <math.h>

#include "family/rules.h"

/* Sums of whole numbers and of u8 are exact. With inputs uniform in [-1, 1) a partial sum of i products is about sqrt(i) / 3.
 *
 * f16, bf16 and tf32: tensor cores add as many products at a time as are in 32 bytes, s, and may cut instead of round: one place, 2^-23
 * of the sum, always towards zero, is about k^1.5 2^-25 / s in all. The bound is 16 times that. f32 is filled with values that tf32
 * has, so that its products are as exact as those of the other types.
 *
 * fp8: on compute capability 9.0 sums keep some 14 bits, and whatever lies below the last one is cut off each product and the sum
 * before they are added (DeepSeek-V3 Technical Report, 2024, 3.3.2; SageAttention2, 2024, counts 13 bits after the point). Simulated, the
 * largest error of some 10,000 sums is about k 2^-14 for k from 256 to 65536, and the root mean square a tenth of it. The bound is 8
 * times the largest, k 2^-11. With sums of `part` elements that are added in f32 it is smaller: sqrt(k part) 2^-11.
 *
 * Two nearly equal sums may then be rounded to neighbouring values of C's type: 2^-7 of bf16, 2^-10 of f16, 2^-22 of f32. */
struct tolerance tensor_matmul_tolerance(const struct point *point)
{
    const double k = (double)point->value[TENSOR_K];
    const double size = (double)dtype_size(tensor_matmul_dtype(point));
    const double part = (double)point->value[TENSOR_PROMOTE] * TENSOR_SLICE_BYTES / size;
    const bool ours = point->value[TENSOR_VARIANT] != TENSOR_CUBLASLT; /* which adds as often as it likes */
    const enum dtype c = tensor_matmul_dtype_c(point);
    struct tolerance t = {.relative = c == DTYPE_BF16 ? 0x1p-7 : c == DTYPE_F16 ? 0x1p-10 : 0x1p-22};
    if (point->value[TENSOR_DATA] != TENSOR_RANDOM || c == DTYPE_I32)
        return rules_exact(point);
    if (tensor_matmul_is_fp8(point))
        t.absolute = sqrt(k * (ours && part > 0 && part < k ? part : k)) * 0x1p-11;
    else
        t.absolute = k * sqrt(k) * 0x1p-21 * size / TENSOR_STEP_BYTES;
    return t;
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
static void sum_patch(uint64_t n, uint64_t k, const struct inputs *inputs, uint64_t row, uint64_t rows,
                      uint64_t column, uint64_t columns, char *out)
{
    lanes a[PATCH_ROWS][PIECE / LANES], b[PIECE / LANES];
    double sum[PATCH_ROWS][PATCH_COLUMNS] = {0};
    const enum dtype dtype = inputs->setup->buffer[2].dtype;
    for (uint64_t i = 0; i < k; i += PIECE) {
        uint64_t count = k - i < PIECE ? k - i : PIECE;
        for (uint64_t r = 0; r < rows; r++)
            load_piece(inputs, 0, (row + r) * k + i, count, a[r]);
        for (uint64_t j = 0; j < columns; j++) {
            load_piece(inputs, 1, (column + j) * k + i, count, b);
            for (uint64_t r = 0; r < rows; r++)
                sum[r][j] += multiply_piece(a[r], b);
        }
    }
    for (uint64_t r = 0; r < rows && dtype != DTYPE_I32; r++)
        for (uint64_t j = 0; j < columns; j++)
            sum[r][j] = (double)(float)sum[r][j]; /* as the kernels: to f32 first */
    for (uint64_t r = 0; r < rows; r++)
        dtype_store_range(dtype, out + r * n * dtype_size(dtype), sum[r], columns);
}

/* A range of C is the end of one row, whole rows, and the start of another. */
void tensor_matmul_reference(const struct point *point, const struct inputs *inputs, int buffer,
                             uint64_t first, uint64_t count, void *out)
{
    const uint64_t n = (uint64_t)point->value[TENSOR_N], k = (uint64_t)point->value[TENSOR_K];
    const uint64_t size = dtype_size(inputs->setup->buffer[buffer].dtype);
    char *to = out;
    while (count) {
        uint64_t row = first / n, column = first % n, rows = 1, columns = n - column;
        if (column == 0 && count >= n)
            rows = count / n < PATCH_ROWS ? count / n : PATCH_ROWS;
        else if (columns > count)
            columns = count;
        for (uint64_t done = 0; done < columns; done += PATCH_COLUMNS)
            sum_patch(n, k, inputs, row, rows, column + done,
                      columns - done < PATCH_COLUMNS ? columns - done : PATCH_COLUMNS, to + size * done);
        first += rows * columns; /* more than one row: whole rows */
        count -= rows * columns;
        to += size * rows * columns;
    }
}
