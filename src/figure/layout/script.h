/* script.h - what gnuplot reads: a figure's data, and the script that places it. analysis/style.gp lists the variables
 * that a figure's own file finds set. */
#ifndef FIGURE_LAYOUT_SCRIPT_H
#define FIGURE_LAYOUT_SCRIPT_H

#include "figure/layout/layout.h"

struct script {
    const struct figure *figure;
    const struct chart *chart;
    const struct layout *layout;
    const char *format, *file; /* what to draw, and into which file */
    const char *analysis;      /* the folder of style.gp */
    const char *data;          /* where script_write_data wrote */
};

/* A block a curve, panel by panel, two empty lines between; each begins with a line of names: x, y, low, high, and the
 * columns that the figure asks for. Numbers are in the units of the axes. */
int script_write_data(const char *path, const struct script *script, struct error *error);

/* The script: run it, and the figure is there. */
int script_write(const char *path, const struct script *script, struct error *error);

#endif
