/* where.h - conditions on rows, as --where writes them (core/condition.h). */
#pragma once

#include "table/view.h"

/* Keep the rows of the view that meet all conditions; those with = on one column are alternatives, so that stride=1 and stride=2
 * keep both. ERROR_USAGE, with the nearest name, for an unknown column or a value that the column cannot have. A condition that no
 * row meets is no error. */
int where_keep(struct view *view, const char *const *conditions, int count, struct error *error);
