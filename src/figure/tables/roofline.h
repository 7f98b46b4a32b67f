/* roofline.h - the table `roofline`: points with operations, their roofs, and the change within textbook pairs. */
#ifndef FIGURE_TABLES_ROOFLINE_H
#define FIGURE_TABLES_ROOFLINE_H

#include "results/merge.h"
#include "results/view.h"

/* `view`: the rows of `all` to use. 0, or -1 with the reason if the table is empty. */
int roofline_table(const struct merged *all, const struct view *view, struct merged *table,
                   struct error *why);

#endif
