/* order.h - the order of work: longest expected first, seeded random among points of like length. */
#ifndef PLAN_ORDER_H
#define PLAN_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "plan/grid.h"

/* Seconds that a point is expected to take with `timing`, from its bytes and flops at rates of the order of a
 * current GPU's. Only the order of points hangs on it, never a result. */
double order_expected_seconds(const struct point *point, const struct timing *timing);

/* A permutation of 0 .. grid_count - 1, owned by the caller: points by descending power of two of their
 * expected time, and within each such block shuffled by `seed` (so that drift does not line up with an axis).
 */
uint32_t *order_of_work(const struct grid *grid, const struct timing *timing, uint64_t seed);

/* Sort the items by descending power of two of seconds(context, item), those alike as they were: when it is known how
 * long they took before. What is known of none keeps its guess; what is shorter than loading a point does not count. */
void order_longest_first(uint32_t *item, size_t count, double (*seconds)(void *context, uint32_t item),
                         void *context);

/* Of the points of each kernel and each power of two of expected time, as many as the root of their number before all others;
 * else as they were. Without a history a run gets to know all of its kinds of points so. */
void order_samples_first(const struct grid *grid, const struct timing *timing, uint32_t *item, size_t count);

/* Up to `most` canaries: points that `target` supports, repeated on every GPU to show drift. They are drawn
 * by `seed` from all over the grid: of distinct kernels as far as there are so many and, where a kernel has
 * several sizes, not of its smallest, unless no other will do. Indices into the grid; returns how many. */
int order_canaries(const struct grid *grid, const struct target *target, uint64_t seed, int most,
                   uint32_t *out);

#endif
