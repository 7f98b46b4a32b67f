/* points.h - tables that are worked out of single rows of files merged: figure/tables.h says what is in each. */
#ifndef FIGURE_TABLES_POINTS_H
#define FIGURE_TABLES_POINTS_H

#include "base/text.h"
#include "results/merge.h"
#include "results/view.h"

/* `view`: the rows that count, repetitions of canaries among them for points_canaries alone. What the caption should say
 * is added to `caption`. 0; or -1 with the reason why there is nothing. */
int points_model(const struct view *view, struct merged *table, struct text *caption, struct error *why);
/* Those of them alone where something is left over. */
int points_residuals(const struct view *view, struct merged *table, struct text *caption, struct error *why);
int points_canaries(const struct view *view, struct merged *table, struct text *caption, struct error *why);

#endif
