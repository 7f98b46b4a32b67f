/* samples.h - empirical distributions of the samples of a few points. */
#ifndef FIGURE_TABLES_SAMPLES_H
#define FIGURE_TABLES_SAMPLES_H

#include "results/merge.h"
#include "results/view.h"

#define SAMPLES_POINTS_MAX 8 /* of a device */

/* The table `samples`, or with `densities` the table `densities` (figure/tables/tables.h). A point is named by the axes in
 * which the points differ. `view`: rows of `all`, which is merged from `paths`. ERROR_USAGE without samples, or with too
 * many points to distinguish. */
int samples_of(char *const *paths, int count, const struct merged *all, const struct view *view,
               bool densities, struct merged *table, struct error *error);

#endif
