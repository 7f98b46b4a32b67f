/* order.h - the order of work: longest expected time first, shuffled among points of similar time. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "plan/grid.h"

/* Rough estimate of the seconds that a point takes with `timing`, from its bytes and flops at rates of current GPUs. It
 * affects the order of points, never a result. */
double order_expected_seconds(const struct point *point, const struct timing *timing);

/* A permutation of 0 .. grid_count - 1, to be freed by the caller: points by descending power of two of their expected
 * time, each such block shuffled by `seed`, so that drift does not coincide with an axis. */
uint32_t *order_of_work(const struct grid *grid, const struct timing *timing, uint64_t seed);

/* Choose up to `max` canaries: points that `target` supports, repeated on every GPU to show drift. Drawn by `seed` from the
 * whole grid, if possible of distinct kernels and not of the smallest size of a kernel. Writes indices into the grid to
 * `out` and returns how many. */
int order_canaries(const struct grid *grid, const struct target *target, uint64_t seed, int max,
                   uint32_t *out);
