/* grid.h - the points of a job as an array that takes a few bytes per point. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/job.h"

#define GRID_POINTS_MAX (UINT64_C(1) << 24) /* a larger job is an error that states its size */

struct grid; /* opaque */

/* Expand a job, which must outlive the grid. A point of two sweeps is kept once. ERROR_USAGE if there are no points or too
 * many. The caller frees it with grid_free. */
int grid_expand(const struct job *job, struct grid **grid, struct error *error);
void grid_free(struct grid *grid);

size_t grid_count(const struct grid *grid);
struct grid_size {
    size_t points;
    size_t duplicates;         /* points dropped because an earlier sweep has them */
    size_t excluded, unwanted; /* points that `exclude` and `only` leave out */
    size_t pairs;
};
const struct grid_size *grid_size(const struct grid *grid);
struct point grid_point(const struct grid *grid, size_t index);
uint64_t grid_id(const struct grid *grid, size_t index); /* its point_id, cached */

/* The point that is measured together with point `index` (plan/job.h), as one unit of work; GRID_ALONE: none. */
#define GRID_ALONE UINT32_MAX
uint32_t grid_partner(const struct grid *grid, size_t index);
bool grid_is_second(const struct grid *grid, size_t index); /* the second of such a pair */
