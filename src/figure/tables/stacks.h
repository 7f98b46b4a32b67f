/* stacks.h - tables per family: the best point, its stall reasons, and the time lost to each bound. */
#ifndef FIGURE_TABLES_STACKS_H
#define FIGURE_TABLES_STACKS_H

#include "results/merge.h"
#include "results/view.h"

/* `view`: the rows of `all` to use. 0, or -1 with the reason if the table is empty. */
int stacks_best(const struct merged *all, const struct view *view, struct merged *table, struct error *why);
int stacks_stalls(const struct merged *all, const struct view *view, struct merged *table, struct error *why);
int stacks_bottlenecks(const struct merged *all, const struct view *view, struct merged *table,
                       struct error *why);

#endif
