/* condition.h - syntax of a condition on a column or an axis: NAME OPERATOR VALUE,VALUE...
 *
 *   =   one of the values; !=  none of them (true for a missing value)
 *   <   <=   >   >=            one number; false for a missing value
 *   =A..B                      from A to B, inclusive; may be one of several values
 *
 * Several conditions must all hold, but several `=` on one name are alternatives. The caller compares values: of rows (--where)
 * or of points (`only:`, --only). */
#pragma once

#include <stdbool.h>

enum relation { EQUAL, NOT_EQUAL, LESS, AT_MOST, GREATER, AT_LEAST };

#define CONDITION_EXPECTED "expected column=value,value, column=first..last, or column != < <= > >= value"

/* Split a condition at its operator, in place: `text` keeps the name, and the values are returned. NULL if the operator, the name
 * or the values are missing. */
char *condition_cut(char *text, enum relation *relation);

/* Split "first..last" in place; returns the last, or NULL if it is not a range. */
char *condition_cut_range(char *value);

/* Does a relation other than = and != hold for `order` (-1, 0 or 1)? False for other values of `order`. */
bool relation_holds(enum relation relation, int order);
