/* values.h - the values of a drawn figure as texts over its marks, for the mouse and for screen readers. */
#pragma once

#include "figure/layout/layout.h"

/* The first and last line of the group in an SVG file; what stands between them fits any <svg> with the same viewBox. */
#define VALUES_BEGIN "<g class=\"values\""
#define VALUES_END   "</g><!-- values -->"

/* Pixels of an SVG per inch. */
#define VALUES_RESOLUTION 96

/* Figures with more points, such as those of raw samples, get no values. */
#define VALUES_POINTS_MAX 1000

/* Insert the group at the end of an SVG file: an invisible circle for each point, or a rectangle for each area, whose <title> names
 * the curve, x, y and the interval. ERROR_ENVIRONMENT. */
int values_add(const char *path, const struct chart *chart, const struct layout *layout, struct error *error);
