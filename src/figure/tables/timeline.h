/* timeline.h - the table of the figure `timeline`: figure/tables.h says what is in it. */
#ifndef FIGURE_TABLES_TIMELINE_H
#define FIGURE_TABLES_TIMELINE_H

#include "base/text.h"
#include "results/merge.h"

/* Of one file, and its last run. What the caption should say is added to `caption`. 0; or -1 with the reason why there
 * is nothing. */
int timeline_of(const char *path, const struct merged *all, struct merged *table, struct text *caption,
                struct error *why);

#endif
