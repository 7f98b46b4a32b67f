/* samples.h - the samples of a few chosen points, as their empirical distribution. */
#ifndef FIGURE_TABLES_SAMPLES_H
#define FIGURE_TABLES_SAMPLES_H

#include "results/merge.h"
#include "results/view.h"

#define SAMPLES_POINTS_MAX 8 /* of a device */

/* The tables `samples` and, `densities`, `densities` (figure/tables.h). A point is called by the values of the axes in which
 * the chosen points differ. `view`: of `all`, which `paths` were merged to. ERROR_USAGE when it holds no samples, or more
 * points than can be told apart. */
int samples_of(char *const *paths, int count, const struct merged *all, const struct view *view,
               bool densities, struct merged *table, struct error *error);

#endif
