/* where.h - conditions on rows, as --where and figures write them (core/condition.h). stride=1 and stride=2 keep both. */
#pragma once

#include "table/view.h"

struct where; /* opaque */

/* No condition yet. The dataset must outlive it. */
struct where *where_new(const struct dataset *dataset);
void where_free(struct where *where);

/* Add a condition. ERROR_USAGE, with the nearest name, for an unknown column or a value that the column cannot have. A
 * condition that no row meets is no error. */
int where_add(struct where *where, const char *condition, struct error *error);

/* Whether a row of dataset->results meets all conditions. */
bool where_holds(const struct where *where, size_t row);

/* Keep the rows of the view that meet them. */
void where_keep(const struct where *where, struct view *view);

/* Keep the rows of one kernel. ERROR_USAGE, with the nearest name, for an unknown kernel. */
int where_keep_kernel(struct view *view, const char *kernel, struct error *error);
