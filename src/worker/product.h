/* product.h - a reference of products that costs the processor O(n^2): something fast multiplies in f64, and
 * this checks it.
 *
 *   struct product_check *check = product_check_new(family, point, &inputs, threads);
 *   all rows of B, then all rows of A, in ascending portions: product_load(check, side, row, rows, floats);
 *   any rows of C = A B', from whoever multiplied the floats: product_agrees(check, row, rows, c);
 *
 * Freivalds' check: for random weights w, C w = A (B' w), row by row, in f64. The weights are between 1/2 and
 * 1 in size, so an error of one element of C shows if it is over 2^-42 of what its row adds up: with 8192
 * columns of f32, some 10^-4 of the tolerance. Errors of several elements cancel by chance only. It goes by
 * the family's `operand`; that this is what the family's `reference` multiplies is checked on pieces of the
 * first and last row, and of random ones. */
#pragma once

#include "family/family.h"

struct product_check; /* opaque */

/* Elements of the sums in front of which a row of floats ends: the rest are zeros. */
enum { PRODUCT_PAD = 16 };

/* Is it a product so large that its own reference would be waited for? */
bool product_is_large(const struct family *family, const struct point *point);

/* Floats of a row. */
uint64_t product_pitch(const struct product_shape *of);

/* What is pointed to must outlive it. `inputs->data` may be NULL. The caller frees. */
struct product_check *product_check_new(const struct family *family, const struct point *point,
                                        const struct inputs *inputs, int threads);
void product_check_free(struct product_check *check); /* NULL: nothing */

/* Rows of B (side 1) or A (side 0), each of product_pitch floats, into `out`. */
void product_load(struct product_check *check, int side, uint64_t row, uint64_t rows, float *out);

/* Are these rows of C, in f64, right? */
bool product_agrees(struct product_check *check, uint64_t row, uint64_t rows, const double *c);

/* Elements of C as the family's output has them. */
void product_store(enum dtype dtype, const double *values, uint64_t count, void *out);
