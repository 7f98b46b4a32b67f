/* columns.h - which columns a command shows when it is told names, all, or nothing. */
#ifndef RESULTS_COLUMNS_H
#define RESULTS_COLUMNS_H

#include "results/view.h"

/* Add "NAME,NAME", "all", or with NULL what is of use: the kernel, the axes that vary, what became of the point and its
 * headline figures. ERROR_USAGE with the nearest name. */
int columns_choose(struct view *view, const char *names, struct error *error);
/* Add a column that may be missing. */
void columns_add(struct view *view, const char *name);
void columns_add_all(struct view *view);

/* Keep the first rows, as --limit says; NULL: all of them. */
int columns_limit_rows(struct view *view, const char *limit, struct error *error);

#endif
