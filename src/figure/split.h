/* split.h - which panels a figure is of, and what the curves of a panel are called. */
#ifndef FIGURE_SPLIT_H
#define FIGURE_SPLIT_H

#include "figure/making.h"

/* Choose the axis that panels are of, and number each curve's panel: making->split, part and parts. It is the one that
 * makes the fewest panels of at most CHART_CURVES_MAX curves, or that leaves the fewest in one; dots are not split. */
void split_choose(struct making *making, bool dots);

/* Label and looks of a curve: without the axes that all curves of its panel share. */
void split_name_curve(const struct making *making, int series, struct chart_curve *curve);

/* "items 4", "restrict yes", but "load" and "f32": words that say by themselves what they are. */
void split_name_value(const struct merged *merged, const struct view *view, int axis, struct text *out);

#endif
