/* collect.h - the rows of a figure, grouped into curves. */
#pragma once

#include "base/text.h"
#include "figure/figure.h"
#include "results/merge.h"
#include "table/view.h"

#define SERIES_KEY_SIZE 320

/* One curve: rows of `view`, ascending in x. Its columns are x, the axes of the series, then the figure's other columns. */
struct series {
    struct view view;
    char key[SERIES_KEY_SIZE]; /* values of the axes of the series */
    int group;                 /* of merged->group */
};

struct figure_data {
    struct series *series;
    int count;
    struct text conditions; /* "size 64MiB, cache cold" */
};

/* Collect the figure's data from the rows that match `filter` (conditions, NULL-terminated). Returns 1, or 0 with the reason
 * in `why` if there is none. figure_data_free releases it; `merged` must outlive it. */
int figure_collect(const struct figure *figure, const char *const *filter, const struct merged *merged,
                   struct figure_data *data, struct error *why);
void figure_data_free(struct figure_data *data);
