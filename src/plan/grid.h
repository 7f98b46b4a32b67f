/* grid.h - the points of a job, as an indexable sequence that holds a few bytes a point. */
#ifndef PLAN_GRID_H
#define PLAN_GRID_H

#include <stddef.h>
#include <stdint.h>

#include "plan/job.h"

#define GRID_POINTS_MAX (UINT64_C(1) << 24) /* more is an error that says how many there would be */

/* Opaque: which combination of which sweep each point is; excluded ones and repetitions left out. */
struct grid;

/* Expand a job, which must outlive the grid. A point that two sweeps name is kept once. ERROR_USAGE when
 * there are no points or too many. Caller frees with grid_free. */
int grid_expand(const struct job *job, struct grid **grid, struct error *error);
void grid_free(struct grid *grid);

size_t grid_count(const struct grid *grid);
size_t grid_duplicates(const struct grid *grid); /* points that more than one sweep named */
size_t grid_excluded(const struct grid *grid);
size_t grid_unwanted(const struct grid *grid); /* points that `only` does not want */
struct point grid_point(const struct grid *grid, size_t index);
uint64_t grid_id(const struct grid *grid, size_t index); /* point_id of it, kept from the expansion */

#endif
