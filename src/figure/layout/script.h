/* script.h - gnuplot's input: the data of a figure and its script. analysis/style.gp lists the variables for a figure's
 * own file. */
#pragma once

#include "figure/layout/layout.h"

struct script {
    const struct figure *figure;
    const struct chart *chart;
    const struct layout *layout;
    const char *format, *file; /* format and file of the figure */
    const char *analysis;      /* the folder of style.gp */
    const char *data;          /* the file of script_write_data */
};

/* One block per curve, panel by panel, separated by two empty lines. Each starts with a line of names: x, y, low, high and
 * the figure's columns. Numbers are in the units of the axes. */
int script_write_data(const char *path, const struct script *script, struct error *error);

/* Running this script draws the figure. */
int script_write(const char *path, const struct script *script, struct error *error);
