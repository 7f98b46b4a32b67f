/* collect.h - the rows that a figure shows, as curves. */
#ifndef FIGURE_COLLECT_H
#define FIGURE_COLLECT_H

#include "base/text.h"
#include "figure/figure.h"
#include "results/merge.h"
#include "results/view.h"

#define SERIES_KEY_SIZE 320

/* One curve: rows of `view`, ascending along x. The view's columns are x, the series' axes, then the figure's others. */
struct series {
    struct view view;
    char key[SERIES_KEY_SIZE]; /* the values of the series' axes */
    int group;                 /* of merged->group */
};

struct figure_data {
    struct series *series;
    int count;
    struct text conditions; /* "size 64MiB, cache cold" */
};

/* Collect what the figure shows of the rows that `filter` (conditions, NULL-terminated) leaves. 1 when there is data;
 * 0 when not, with the reason in `why`. figure_data_free releases it; `merged` must outlive it. */
int figure_collect(const struct figure *figure, const char *const *filter, const struct merged *merged,
                   struct figure_data *data, struct error *why);
void figure_data_free(struct figure_data *data);

/* Whether x is an axis, not a measured column. */
bool figure_is_of_axis(const struct figure *figure, const struct merged *merged);

#endif
