/* axes.h - what the axes of a chart are called, in which unit, on which scale, from where to where. */
#ifndef FIGURE_AXES_H
#define FIGURE_AXES_H

#include "figure/making.h"

/* What y is called, and its unit: making->scale and the label. */
void axes_choose_unit(struct making *making, char *label, size_t size);

/* Scales of x, and of y in a block, from the points of the panels. */
void axes_fit_x(const struct making *making, struct chart *chart);
void axes_fit_y(const struct making *making, int block, struct chart *chart);

#endif
