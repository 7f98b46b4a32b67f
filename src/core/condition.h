/* condition.h - syntax of a condition on a column or an axis: NAME OPERATOR VALUE,VALUE...
 *
 *   =   one of the values; !=  none of them (true for a missing value, but for != nan)
 *   <   <=   >   >=            one number; false for a missing value
 *   =A..B                      from A to B, inclusive; may be one of several values
 *
 * Several conditions must all hold, but several `=` on one name are alternatives. The caller compares values:
 * of rows (--where) or of points (`only:`, --only). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum relation { EQUAL, NOT_EQUAL, LESS, AT_MOST, GREATER, AT_LEAST };

/* As it is written: a value; or, if `last` is not NULL, all from `first` to `last`. */
struct condition_value {
    char *first, *last;
};

struct condition {
    char *name; /* owned: the text, cut into parts; the values point into it */
    enum relation relation;
    struct condition_value *value; /* owned; at least one */
    size_t values;
};

/* Split a condition into name and values, none of which is a range yet. -1 with ERROR_USAGE. condition_free
 * afterwards, also on failure. */
int condition_read(const char *text, struct condition *condition, struct error *error);
void condition_free(struct condition *condition);

/* Split the values that are ranges, as those of numbers may be. -1 with ERROR_USAGE for one, or for several
 * values, after < <= > >=. */
int condition_cut_ranges(struct condition *condition, struct error *error);

/* Does a relation other than = and != hold for `order` (-1, 0 or 1)? False for other values of `order`. */
bool relation_holds(enum relation relation, int order);
