/* stacks.h - tables with a row a family: its best point, what that waits for, and what time is lost to which bound. */
#ifndef FIGURE_TABLES_STACKS_H
#define FIGURE_TABLES_STACKS_H

#include "results/merge.h"
#include "results/view.h"

/* `view`: the rows of `all` that count. 0; or -1 with the reason why there is nothing. */
int stacks_best(const struct merged *all, const struct view *view, struct merged *table, struct error *why);
int stacks_stalls(const struct merged *all, const struct view *view, struct merged *table, struct error *why);
int stacks_bottlenecks(const struct merged *all, const struct view *view, struct merged *table,
                       struct error *why);

#endif
