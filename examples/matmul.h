/* matmul.h - C = A B' as kernels/tensor_matmul has it, for the examples that bring another compiler's
 * product: A is m x k, B is n x k, C is m x n, of f16 or bf16, all row-major. The same bytes, operations,
 * inputs, tolerance and reference, so that all stand in one table. */
#pragma once

#include <math.h>

#include "family/rules.h"

struct matmul {
    enum dtype dtype;
    uint64_t m, n, k; /* k is a multiple of 8 */
};

enum { MATMUL_A, MATMUL_B, MATMUL_C, MATMUL_BUFFERS };

static inline void matmul_buffers(const struct matmul *of, struct setup *setup)
{
    static const struct fill random = {.kind = FILL_RANDOM, .low = -1, .high = 1};
    setup->buffer[MATMUL_A] = buffer_input("a", of->dtype, of->m * of->k, random);
    setup->buffer[MATMUL_B] = buffer_input("b", of->dtype, of->n * of->k, random);
    setup->buffer[MATMUL_C] = buffer_output("c", of->dtype, of->m * of->n);
    setup->buffers = MATMUL_BUFFERS;
}

static inline struct work matmul_work(const struct matmul *of)
{
    const uint64_t size = dtype_size(of->dtype);
    return (struct work){.bytes_read = size * (of->m * of->k + of->n * of->k),
                         .bytes_written = size * of->m * of->n,
                         .flops = 2 * of->m * of->n * of->k};
}

/* As in kernels/tensor_matmul/reference.c: 16 times the error of cutting off, by products of 32 bytes; and
 * one place of C. The root mean square of many errors may be a 20th. */
static inline struct tolerance matmul_tolerance(const struct matmul *of)
{
    const double k = (double)of->k, absolute = k * sqrt(k) * 0x1p-21 * 2 / 32;
    return (struct tolerance){
        .relative = of->dtype == DTYPE_BF16 ? 0x1p-7 : 0x1p-10, .absolute = absolute, .rms = absolute / 20};
}

enum { MATMUL_PIECE = 512, MATMUL_LANES = 8 };

/* Row `row` of A times row `column` of B, in an order that depends on k alone. */
static inline double matmul_element(const struct inputs *inputs, uint64_t row, uint64_t column, uint64_t k)
{
    double sum[MATMUL_LANES] = {0}, total = 0, a[MATMUL_PIECE], b[MATMUL_PIECE];
    for (uint64_t i = 0; i < k; i += MATMUL_PIECE) {
        const uint64_t count = k - i < MATMUL_PIECE ? k - i : MATMUL_PIECE;
        inputs_real_range(inputs, MATMUL_A, row * k + i, count, a);
        inputs_real_range(inputs, MATMUL_B, column * k + i, count, b);
        for (uint64_t j = 0; j < count; j += MATMUL_LANES)
            for (uint64_t lane = 0; lane < MATMUL_LANES; lane++)
                sum[lane] += a[j + lane] * b[j + lane];
    }
    for (int lane = 0; lane < MATMUL_LANES; lane++)
        total += sum[lane];
    return total;
}

/* Elements [first, first + count) of C. */
static inline void matmul_reference(const struct matmul *of, const struct inputs *inputs, uint64_t first,
                                    uint64_t count, void *out)
{
    for (uint64_t i = 0; i < count; i++) /* as the kernels: to f32 first */
        dtype_store(of->dtype, (char *)out + i * dtype_size(of->dtype),
                    (double)(float)matmul_element(inputs, (first + i) / of->n, (first + i) % of->n, of->k));
}

/* What the fields `product` and `operand` of struct family want: the device then computes the reference of
 * large products. */
static inline struct product_shape matmul_product(const struct matmul *of)
{
    return (struct product_shape){of->m, of->n, of->k};
}

static inline void matmul_operand(const struct matmul *of, const struct inputs *inputs, int side,
                                  uint64_t row, uint64_t rows, uint64_t first, uint64_t count, double *out)
{
    for (uint64_t r = 0; r < rows; r++)
        inputs_real_range(inputs, side ? MATMUL_B : MATMUL_A, (row + r) * of->k + first, count,
                          out + r * count);
}
