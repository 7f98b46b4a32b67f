/* place.h - room within a panel for the names of its lines: beside the line, and over nothing. */
#ifndef FIGURE_LAYOUT_PLACE_H
#define FIGURE_LAYOUT_PLACE_H

#include "figure/chart.h"

struct place_name {
    char *label; /* owned */
    int panel;
    bool placed; /* false: there is no room */
    double x, y; /* inches from the panel's lower left corner */
    int align;   /* -1: it starts at x, 1: it ends there */
};

/* Find a place for the name of each line of a panel of that size in inches; writes panel[p].lines at most, and returns
 * how many have a name. */
size_t place_lines(const struct chart *chart, int panel, const struct font *font, double width, double height,
                   struct place_name *name);

#endif
