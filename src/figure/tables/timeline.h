/* timeline.h - the table `timeline`; figure/tables/tables.h describes it. */
#ifndef FIGURE_TABLES_TIMELINE_H
#define FIGURE_TABLES_TIMELINE_H

#include "base/text.h"
#include "results/merge.h"

/* The last run of one file. Adds text for the caption. 0, or -1 with the reason if the table is empty. */
int timeline_of(const char *path, const struct merged *all, struct merged *table, struct text *caption,
                struct error *why);

#endif
