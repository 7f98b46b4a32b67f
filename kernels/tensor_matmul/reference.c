/* The reference of tensor_matmul, and how near a product has to come to it. */
#include "kernels/tensor_matmul/tensor_matmul.h"

#include <math.h>

#include "family/rules.h"

/* Sums of whole numbers and of u8 are exact. With inputs uniform in [-1, 1) a partial sum of i products is
 * about sqrt(i) / 3.
 *
 * f16, bf16 and tf32: tensor cores add as many products at a time as are in 32 bytes, s, and may cut instead
 * of round: one place, 2^-23 of the sum, always towards zero, is about k^1.5 2^-25 / s in all. The bound is
 * 16 times that. f32 is filled with values that tf32 has, so that its products are as exact as those of the
 * other types.
 *
 * fp8: on compute capability 9.0 sums keep some 14 bits, and whatever lies below the last one is cut off each
 * product and the sum before they are added (DeepSeek-V3 Technical Report, 2024, 3.3.2; SageAttention2, 2024,
 * counts 13 bits after the point). Simulated, the largest error of some 10,000 sums is about k 2^-14 for k
 * from 256 to 65536, and the root mean square a tenth of it. The bound is 8 times the largest, k 2^-11. With
 * sums of `part` elements that are added in f32 it is smaller: sqrt(k part) 2^-11.
 *
 * At k of 65,536 that is 32, above what a slice of 128 products makes, 3.8. The root mean square is therefore
 * bounded, too, by a 20th: honest kernels have up to a 55th (analysis/data/h200-numerics.h5), and a slice
 * left out an eighth.
 *
 * Scales are at most 2, and products of e2m1 up to 36: so much larger are the sums. Products of two scales
 * have a root mean square of 2.
 *
 * Two nearly equal sums may then be rounded to neighbouring values of C's type: 2^-7 of bf16, 2^-10 of f16,
 * 2^-22 of f32. */
struct tolerance tensor_matmul_tolerance(const struct point *point)
{
    const double k = (double)point->value[TENSOR_K];
    const double size = (double)dtype_bits(tensor_matmul_dtype(point)) / 8;
    const double part = (double)point->value[TENSOR_PROMOTE] * TENSOR_SLICE_BYTES / size;
    const bool ours = point->value[TENSOR_VARIANT] != TENSOR_CUBLASLT; /* which adds as often as it likes */
    const enum dtype c = tensor_matmul_dtype_c(point);
    struct tolerance t = {.relative = c == DTYPE_F16 ? 0x1p-10 : 0x1p-22};
    if (c == DTYPE_BF16)
        t.relative = 0x1p-7;
    if (point->value[TENSOR_DATA] != TENSOR_RANDOM || c == DTYPE_I32)
        return rules_exact(point);
    if (tensor_matmul_is_fp8(point))
        t.absolute = sqrt(k * (ours && part > 0 && part < k ? part : k)) * 0x1p-11;
    else
        t.absolute = k * sqrt(k) * 0x1p-21 * size / TENSOR_STEP_BYTES;
    t.absolute *= tensor_matmul_dtype(point) == DTYPE_E2M1 ? 36 : 1;
    t.rms = t.absolute / 20 * (tensor_matmul_is_scaled(point) ? 2 : 1);
    t.absolute *= tensor_matmul_is_scaled(point) ? 4 : 1;
    return t;
}

/* A patch of C is summed in f64, a piece of the rows of A and B at a time. The order of a sum depends on k
 * alone, so that a portion of C has the same bits as the whole. */
enum { PATCH_ROWS = 16, PATCH_COLUMNS = 256, PIECE = 512, LANES = 8 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* A sparse A, by the PTX ISA ("Asynchronous Warpgroup Level Sparse Matrix Storage", figures of m64nNk32,
 * m64nNk16 and m64nNk64; "Matrix fragments for multiply-accumulate operation with sparse matrix A", figures
 * of m16n8k32, m16n8k16 and m16n8k64: the lanes of mma.sp hold the same words).
 *
 * The words of a block of 128 rows and a slice are those of 256 threads of wgmma, so that each thread has its
 * own: warp w has rows 16 w to 16 w + 15; lane l is of rows r = l / 4 and r + 8. A warp of mma reads those of
 * its 64 rows. The slice has two steps, of which each is one product.
 *
 * f16, bf16, f32: a step has 8 fields of a row. Lanes 0 and 1 of each four have those of step 0, lanes 2 and
 * 3 those of step 1: the first of them fields 0 to 3, the other 4 to 7; row r in the lower 16 bits, row r + 8
 * in the upper ones. Types of one byte: a step has 16 fields of a row, and each lane a word for each step.
 * Lanes 0 and 1 of each four have fields 0 to 7 of rows r and r + 8, lanes 2 and 3 fields 8 to 15. */
struct metadata_place tensor_matmul_metadata(const struct point *point, uint64_t row, uint64_t field)
{
    const bool byte = dtype_size(tensor_matmul_dtype(point)) == 1;
    const uint64_t step_fields = byte ? 16 : 8, k = (uint64_t)point->value[TENSOR_K];
    const uint64_t fields = 2 * step_fields, slice_columns = fields * tensor_matmul_group(point);
    const uint64_t slices = (k + slice_columns - 1) / slice_columns, slice = field / fields;
    const uint64_t step = field % fields / step_fields, inside = field % step_fields;
    const uint64_t block = row / TENSOR_BLOCK_ROWS, warp = row % TENSOR_BLOCK_ROWS / TENSOR_WARP_ROWS;
    const uint64_t first = (block * slices + slice) * tensor_matmul_words(point);
    const uint64_t lower = row % 8 * 4, upper = row % TENSOR_WARP_ROWS / 8;
    if (byte) {
        const uint64_t lane = lower + inside / 8 * 2 + upper;
        return (struct metadata_place){first + (warp * 32 + lane) * 2 + step,
                                       (int)(inside % 8) * TENSOR_FIELD_BITS};
    }
    const uint64_t lane = lower + step * 2 + inside / 4;
    return (struct metadata_place){first + warp * 32 + lane,
                                   (int)(upper * 4 + inside % 4) * TENSOR_FIELD_BITS};
}

/* Columns [first, first + count) of a row of A with its zeros; both are multiples of four. */
static void expand_piece(const struct point *point, const struct inputs *inputs, uint64_t row, uint64_t first,
                         uint64_t count, double *out)
{
    const uint64_t group = tensor_matmul_group(point), k = (uint64_t)point->value[TENSOR_K];
    double stored[PIECE / 2];
    inputs_real_range(inputs, TENSOR_A, (row * k + first) / 2, count / 2, stored);
    for (uint64_t i = 0; i < count; i += group) {
        const struct metadata_place at = tensor_matmul_metadata(point, row, (first + i) / group);
        uint32_t word;
        inputs_load(inputs, TENSOR_METADATA, at.word, &word);
        const uint32_t field = word >> at.bit;
        if (group == 2) {
            out[i + (field >> 1 & 1)] = stored[i / 2]; /* 0100: the first, 1110: the second */
        } else {
            out[i + (field & 3)] = stored[i / 2];
            out[i + (field >> 2 & 3)] = stored[i / 2 + 1];
        }
    }
}

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

/* Elements of a row of A or B, times their scales. `first` is a multiple of 32. */
static void load_scaled(const struct point *point, const struct inputs *inputs, int buffer, uint64_t row,
                        uint64_t first, uint64_t count, lanes *out)
{
    const uint64_t k = (uint64_t)point->value[TENSOR_K], tiles = tensor_matmul_scale_tiles(point);
    const uint64_t block = tensor_matmul_scale_block(point);
    const int scales = buffer == TENSOR_A ? TENSOR_SCALE_A : TENSOR_SCALE_B;
    double *values = (double *)out;
    load_piece(inputs, buffer, row * k + first, count, out);
    for (uint64_t i = 0; i < count; i += block) {
        const double scale =
            inputs_real(inputs, scales, tensor_matmul_scale(row, (first + i) / block, tiles));
        for (uint64_t j = i; j < i + block; j++)
            values[j] *= scale;
    }
}

static void load_left(const struct point *point, const struct inputs *inputs, uint64_t row, uint64_t first,
                      uint64_t count, lanes *out)
{
    const uint64_t k = (uint64_t)point->value[TENSOR_K];
    if (tensor_matmul_is_scaled(point)) {
        load_scaled(point, inputs, TENSOR_A, row, first, count, out);
        return;
    }
    if (!tensor_matmul_is_sparse(point)) {
        load_piece(inputs, TENSOR_A, row * k + first, count, out);
        return;
    }
    memset(out, 0, PIECE * sizeof(double));
    expand_piece(point, inputs, row, first, count, (double *)out);
}

static void load_right(const struct point *point, const struct inputs *inputs, uint64_t row, uint64_t first,
                       uint64_t count, lanes *out)
{
    if (tensor_matmul_is_scaled(point))
        load_scaled(point, inputs, TENSOR_B, row, first, count, out);
    else
        load_piece(inputs, TENSOR_B, row * (uint64_t)point->value[TENSOR_K] + first, count, out);
}

void tensor_matmul_operand(const struct point *point, const struct inputs *inputs, int side, uint64_t row,
                           uint64_t rows, uint64_t first, uint64_t count, double *out)
{
    lanes piece[PIECE / LANES];
    for (uint64_t r = 0; r < rows; r++) {
        (side ? load_right : load_left)(point, inputs, row + r, first, count, piece);
        memcpy(out + r * count, piece, count * sizeof *out);
    }
}

/* Rows [row, row + rows) x columns [column, column + columns) of C; `out` is where the first goes. */
static void sum_patch(const struct point *point, const struct inputs *inputs, uint64_t row, uint64_t rows,
                      uint64_t column, uint64_t columns, char *out)
{
    lanes a[PATCH_ROWS][PIECE / LANES], b[PIECE / LANES];
    double sum[PATCH_ROWS][PATCH_COLUMNS] = {0};
    const enum dtype dtype = inputs->setup->buffer[TENSOR_C].dtype;
    const uint64_t n = (uint64_t)point->value[TENSOR_N], k = (uint64_t)point->value[TENSOR_K];
    for (uint64_t i = 0; i < k; i += PIECE) {
        uint64_t count = k - i < PIECE ? k - i : PIECE;
        for (uint64_t r = 0; r < rows; r++)
            load_left(point, inputs, row + r, i, count, a[r]);
        for (uint64_t j = 0; j < columns; j++) {
            load_right(point, inputs, column + j, i, count, b);
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
    const uint64_t n = (uint64_t)point->value[TENSOR_N];
    const uint64_t size = dtype_size(inputs->setup->buffer[buffer].dtype);
    char *to = out;
    while (count) {
        uint64_t row = first / n, column = first % n, rows = 1, columns = n - column;
        if (column == 0 && count >= n)
            rows = count / n < PATCH_ROWS ? count / n : PATCH_ROWS;
        else if (columns > count)
            columns = count;
        for (uint64_t done = 0; done < columns; done += PATCH_COLUMNS)
            sum_patch(point, inputs, row, rows, column + done,
                      columns - done < PATCH_COLUMNS ? columns - done : PATCH_COLUMNS, to + size * done);
        first += rows * columns; /* more than one row: whole rows */
        count -= rows * columns;
        to += size * rows * columns;
    }
}
