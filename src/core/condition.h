/* condition.h - how a condition on a column or an axis is written: NAME OPERATOR VALUE,VALUE...
 *
 *   =   one of the values; !=  none of them (a missing value is none of any)
 *   <   <=   >   >=            one value, of a number; what is missing is neither
 *   =A..B                      from A to B, both included; stands among other values, too
 *
 * Several conditions hold together, but for `=` on one name, which are alternatives. What a value is, the reader of rows
 * (--where) or of points (`only:`, --only) says. */
#ifndef CORE_CONDITION_H
#define CORE_CONDITION_H

#include <stdbool.h>

enum relation { EQUAL, NOT_EQUAL, LESS, AT_MOST, GREATER, AT_LEAST };

#define CONDITION_EXPECTED "expected column=value,value, column=first..last, or column != < <= > >= value"

/* Cut a condition at its operator: the name is left in `text`, what stands after the operator is returned; NULL when
 * there is no operator, no name or no value. */
char *condition_cut(char *text, enum relation *relation);

/* Cut "first..last" between the two; returns the last, NULL when it is no range. */
char *condition_cut_range(char *value);

/* Whether a relation other than = and != holds of `order`: -1, 0 or 1; anything else is neither. */
bool relation_holds(enum relation relation, int order);

#endif
