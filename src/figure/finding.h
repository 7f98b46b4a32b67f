/* finding.h - a sentence that a figure's points support: `#: finding A over B [with C]: WORDS`. */
#pragma once

#include "figure/collect.h"

/* ERROR_ENVIRONMENT if a directive is malformed. */
int finding_check(const char *directive, struct error *error);

/* Add WORDS and a space if, on every device of the figure, the intervals of y of at least two pairs of points, and of all, show the
 * one that meets the conditions A above the one that meets B; both meet C. `%` of WORDS is replaced by the range of the
 * ratios. Points of a pair are equal in x and in the axes of the series, but for those that A or B name. If both
 * name a column that is not of the series, all points along x are paired. */
void finding_add(const char *directive, const struct figure *figure, const struct merged *merged,
                 const struct figure_data *data, struct text *out);
