/* columns.h - the columns that a table shows: those named, all, or the useful ones. */
#pragma once

#include "table/view.h"

/* Show "NAME,NAME" or "all". NULL: the kernel, the axes that vary, the status and the headline figures. An unknown name
 * is ERROR_USAGE with the nearest name. */
int columns_choose(struct view *view, const char *names, struct error *error);
