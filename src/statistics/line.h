/* line.h - a straight line through points, by least squares. */
#pragma once

/* Start from {0}. Sums about the first point, so that readings of a counter that is years old keep their
 * digits. */
struct line {
    double x0, y0, last, n, x, y, xx, xy, yy;
};
void line_add(struct line *line, double x, double y);

struct slope {
    double value, half; /* half-width of the 95 % interval, relative; NaN with less than three points */
};
struct slope line_slope(const struct line *line);
