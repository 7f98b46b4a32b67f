/* points.h - tables computed from single rows; figure/tables/tables.h describes them. */
#ifndef FIGURE_TABLES_POINTS_H
#define FIGURE_TABLES_POINTS_H

#include "base/text.h"
#include "results/merge.h"
#include "results/view.h"

/* `view`: the rows to use; only points_canaries gets repetitions of canaries. Adds text for the caption. 0, or -1 with the
 * reason if the table is empty. */
int points_model(const struct view *view, struct merged *table, struct text *caption, struct error *why);
/* Only the rows with a residual. */
int points_residuals(const struct view *view, struct merged *table, struct text *caption, struct error *why);
int points_canaries(const struct view *view, struct merged *table, struct text *caption, struct error *why);

#endif
