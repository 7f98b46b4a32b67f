#include "worker/product.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "worker/pool.h"

#define LARGE (UINT64_C(1) << 28) /* products of two elements: a few ms of all processors */

/* What a thread loads at once; limits of `operand`. */
enum { ROWS = 32, PIECE = 512, PIECES = 8, SPAN = PIECE * PIECES };

/* Of the rows of C that are compared with the reference: elements at once, and how many random rows. */
enum { SAMPLE = 64, SAMPLE_ROWS = 8 };

/* Roundings of f64 sums of up to 2^30 terms of random signs are below; 2^-53 each. */
#define ROUNDING 0x1p-44

struct product_check {
    const struct family *family;
    const struct point *point;
    const struct inputs *inputs;
    struct product_shape of;
    uint64_t pitch;
    int threads, output;
    double *weight;      /* n: of the columns of C */
    double *column;      /* k: B' w */
    double *sum, *scale; /* m: A (B' w), and the sum of the sizes of its terms */
    pthread_mutex_t mutex;

    /* Of the call in work. */
    int side;
    uint64_t row, rows;
    float *out;
    const double *c;
    _Atomic bool wrong;
};

static uint64_t ceil_div(uint64_t value, uint64_t by)
{
    return (value + by - 1) / by;
}

bool product_is_large(const struct family *family, const struct point *point)
{
    if (!family->product)
        return false;
    struct product_shape of = family->product(point);
    return of.m * of.n > LARGE / of.k;
}

uint64_t product_pitch(const struct product_shape *of)
{
    return ceil_div(of->k, PRODUCT_PAD) * PRODUCT_PAD;
}

/* 1/2 to 1, of either sign. */
static double weight_of(uint64_t seed, uint64_t index)
{
    uint64_t bits = fill_bits(seed, index);
    double size = 0.5 + (double)(bits >> 12) * 0x1p-53;
    return bits & 1 ? size : -size;
}

struct product_check *product_check_new(const struct family *family, const struct point *point,
                                        const struct inputs *inputs, int threads)
{
    struct product_check *check = memory_new(1, sizeof *check);
    struct product_shape of = family->product(point);
    *check = (struct product_check){.family = family,
                                    .point = point,
                                    .inputs = inputs,
                                    .of = of,
                                    .pitch = product_pitch(&of),
                                    .threads = threads,
                                    .weight = memory_new(of.n, sizeof(double)),
                                    .column = memory_new(of.k, sizeof(double)),
                                    .sum = memory_new(of.m, sizeof(double)),
                                    .scale = memory_new(of.m, sizeof(double))};
    pthread_mutex_init(&check->mutex, NULL);
    while (!buffer_is_compared(&inputs->setup->buffer[check->output]))
        check->output++;
    uint64_t seed = hash_u64(hash_text(HASH_START, "weights"), inputs->seed);
    for (uint64_t j = 0; j < of.n; j++)
        check->weight[j] = weight_of(seed, j);
    return check;
}

void product_check_free(struct product_check *check)
{
    if (!check)
        return;
    pthread_mutex_destroy(&check->mutex);
    free(check->weight);
    free(check->column);
    free(check->sum);
    free(check->scale);
    free(check);
}

/* Add what `rows` rows of B or A contribute from element `first` on; `values` are theirs. */
static void add_columns(struct product_check *check, uint64_t row, uint64_t rows, uint64_t count,
                        const double *values, double *column)
{
    for (uint64_t r = 0; r < rows; r++) {
        const double weight = check->weight[row + r];
        for (uint64_t i = 0; i < count; i++)
            column[i] += weight * values[r * count + i];
    }
}

static void add_sums(struct product_check *check, uint64_t rows, uint64_t first, uint64_t count,
                     const double *values, double *sum, double *scale)
{
    for (uint64_t r = 0; r < rows; r++)
        for (uint64_t i = 0; i < count; i++) {
            const double term = values[r * count + i] * check->column[first + i];
            sum[r] += term;
            scale[r] += fabs(term);
        }
}

static void merge(struct product_check *check, double *to, const double *from, uint64_t count)
{
    pthread_mutex_lock(&check->mutex);
    for (uint64_t i = 0; i < count; i++)
        to[i] += from[i];
    pthread_mutex_unlock(&check->mutex);
}

/* Tasks are ROWS rows times SPAN elements. */
static void load_body(void *context, uint64_t first_task, uint64_t tasks)
{
    struct product_check *check = context;
    const uint64_t k = check->of.k, across = ceil_div(k, SPAN);
    double values[ROWS * PIECE];
    for (uint64_t task = first_task; task < first_task + tasks; task++) {
        const uint64_t from = task / across * ROWS, start = task % across * SPAN, row = check->row + from;
        const uint64_t rows = check->rows - from < ROWS ? check->rows - from : ROWS;
        const uint64_t end = k - start < SPAN ? k : start + SPAN;
        double column[SPAN] = {0}, sum[ROWS] = {0}, scale[ROWS] = {0};
        for (uint64_t i = start; i < end; i += PIECE) {
            const uint64_t count = end - i < PIECE ? end - i : PIECE;
            check->family->operand(check->point, check->inputs, check->side, row, rows, i, count, values);
            for (uint64_t r = 0; r < rows; r++)
                for (uint64_t j = 0; j < count; j++)
                    check->out[(from + r) * check->pitch + i + j] = (float)values[r * count + j];
            if (check->side)
                add_columns(check, row, rows, count, values, column + (i - start));
            else
                add_sums(check, rows, i, count, values, sum, scale);
        }
        for (uint64_t r = 0; r < rows && end == k; r++)
            memset(check->out + (from + r) * check->pitch + k, 0, (check->pitch - k) * sizeof(float));
        if (check->side)
            merge(check, check->column + start, column, end - start);
        else {
            merge(check, check->sum + row, sum, rows);
            merge(check, check->scale + row, scale, rows);
        }
    }
}

void product_load(struct product_check *check, int side, uint64_t row, uint64_t rows, float *out)
{
    check->side = side;
    check->row = row;
    check->rows = rows;
    check->out = out;
    pool_run(check->threads, ceil_div(rows, ROWS) * ceil_div(check->of.k, SPAN), 1, load_body, check);
}

void product_store(enum dtype dtype, const double *values, uint64_t count, void *out)
{
    enum { TOGETHER = 256 };
    double rounded[TOGETHER];
    if (dtype == DTYPE_I32 || dtype == DTYPE_I64 || dtype == DTYPE_F64) {
        dtype_store_range(dtype, out, values, count);
        return;
    }
    for (uint64_t done = 0; done < count; done += TOGETHER) {
        uint64_t n = count - done < TOGETHER ? count - done : TOGETHER;
        for (uint64_t i = 0; i < n; i++)
            rounded[i] = (double)(float)values[done + i];
        dtype_store_range(dtype, (char *)out + done * dtype_size(dtype), rounded, n);
    }
}

/* Are elements of a row, from `column` on, what the reference has? Sums that differ in the last place of f64
 * may be rounded to neighbours. */
static bool equals_reference(const struct product_check *check, uint64_t row, uint64_t column,
                             const double *c)
{
    const enum dtype dtype = check->inputs->setup->buffer[check->output].dtype;
    const uint64_t size = dtype_size(dtype), n = check->of.n;
    const uint64_t count = n - column < SAMPLE ? n - column : SAMPLE;
    _Alignas(8) unsigned char expected[SAMPLE * sizeof(uint64_t)], end[2][sizeof(uint64_t)];
    check->family->reference(check->point, check->inputs, check->output, row * n + column, count, expected);
    for (uint64_t j = 0; j < count; j++) {
        const double value = dtype_load(dtype, expected + j * size), slack = ROUNDING * check->scale[row];
        for (int side = 0; side < 2; side++) {
            const double near = c[column + j] + (side ? slack : -slack);
            product_store(dtype, &near, 1, end[side]);
        }
        if (!(dtype_load(dtype, end[0]) <= value && value <= dtype_load(dtype, end[1])))
            return false;
    }
    return true;
}

static bool is_sampled(const struct product_check *check, uint64_t row)
{
    const uint64_t m = check->of.m;
    return row == 0 || row == m - 1 || fill_bits(check->inputs->seed, row) % m < SAMPLE_ROWS;
}

static bool row_agrees(const struct product_check *check, uint64_t row, const double *c)
{
    const uint64_t n = check->of.n;
    double sum = 0, size = 0;
    assert(n > 0);
    for (uint64_t j = 0; j < n; j++) {
        sum += check->weight[j] * c[j];
        size += fabs(check->weight[j] * c[j]);
    }
    if (!(fabs(sum - check->sum[row]) <= ROUNDING * (size + check->scale[row])))
        return false;
    if (!is_sampled(check, row))
        return true;
    const uint64_t last = n > SAMPLE ? n - SAMPLE : 0;
    return equals_reference(check, row, 0, c) && equals_reference(check, row, last, c) &&
           equals_reference(check, row, fill_bits(check->inputs->seed + 1, row) % n, c);
}

static void agrees_body(void *context, uint64_t first, uint64_t count)
{
    struct product_check *check = context;
    for (uint64_t r = first; r < first + count && !check->wrong; r++)
        if (!row_agrees(check, check->row + r, check->c + r * check->of.n))
            check->wrong = true;
}

bool product_agrees(struct product_check *check, uint64_t row, uint64_t rows, const double *c)
{
    check->row = row;
    check->rows = rows;
    check->c = c;
    check->wrong = false;
    pool_run(check->threads, rows, ceil_div(rows, 8 * (uint64_t)check->threads), agrees_body, check);
    return !check->wrong;
}
