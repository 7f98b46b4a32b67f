/* roofline.h - the table of the roofline: points with operations, the roofs above them, and what became of which. */
#ifndef FIGURE_TABLES_ROOFLINE_H
#define FIGURE_TABLES_ROOFLINE_H

#include "results/merge.h"
#include "results/view.h"

/* `view`: the rows of `all` that count. 0; or -1 with the reason why there is nothing. */
int roofline_table(const struct merged *all, const struct view *view, struct merged *table,
                   struct error *why);

#endif
