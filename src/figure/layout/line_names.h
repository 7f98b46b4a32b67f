/* line_names.h - positions for the names of a panel's lines, beside the line and without overlap. */
#ifndef FIGURE_LAYOUT_LINE_NAMES_H
#define FIGURE_LAYOUT_LINE_NAMES_H

#include "figure/chart.h"

struct line_name {
    char *label; /* owned */
    int panel;
    bool placed; /* false: no room, the name goes into the key */
    double x, y; /* inches from the panel's lower left corner */
    int align;   /* -1: it starts at x, 1: it ends there */
};

/* Find positions in a panel of that size in inches. Writes at most panel[p].lines names and returns their number. */
size_t line_names_place(const struct chart *chart, int panel, const struct font *font, double width,
                        double height, struct line_name *name);

#endif
