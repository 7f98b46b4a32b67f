/* columns.h - the columns that a command shows: those named, all, or the useful ones. */
#pragma once

#include "table/view.h"

/* Add "NAME,NAME" or "all". NULL: the kernel, the axes that vary, the status and the headline figures. An unknown name
 * is ERROR_USAGE with the nearest name. */
int columns_choose(struct view *view, const char *names, struct error *error);
/* Add a column that may be missing. */
void columns_add(struct view *view, const char *name);

/* Keep the first rows, as --limit says; NULL: all of them. */
int columns_limit_rows(struct view *view, const char *limit, struct error *error);
