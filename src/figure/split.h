/* split.h - the panels of a figure, and the names of the curves of a panel. */
#ifndef FIGURE_SPLIT_H
#define FIGURE_SPLIT_H

#include "figure/making.h"

/* Choose the axis that divides curves into panels, and set making->split, part and parts. It gives the fewest panels of at
 * most CHART_CURVES_MAX curves, or the least crowded ones. Dots are not divided. */
void split_choose(struct making *making, bool dots);

/* Set label and style of a curve. The label omits axes that all curves of its panel share. */
void split_name_curve(const struct making *making, int series, struct chart_curve *curve);

/* "items 4", "restrict yes"; but only "load" and "f32", which need no name. */
void split_name_value(const struct merged *merged, const struct view *view, int axis, struct text *out);

#endif
