/* figure.h - the directives of a figure's gnuplot file: lines such as "#: title Bandwidth against stride".
 *
 * docs/figures.md lists them. Axes that vary within a curve are pinned to one value, which the caption states: the one with
 * most points along x, then the larger one. The rest of the file is gnuplot's, with the variables of analysis/style.gp. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define FIGURE_NAMES_MAX 16
#define FIGURE_LINES_MAX 4

struct figure {
    char *path, *name;                  /* owned; name is the file's without .gp; path may be NULL */
    char *text;                         /* owned: the directives point into it */
    const char *title, *kernel, *x, *y; /* never NULL; of the others any may be */
    const char *table, *place, *x_label, *x_scale, *y_label, *y_scale, *roof, *draw, *panel, *baseline,
        *remark;
    const char *names, *x_names, *scales, *contrast;
    const char *line[FIGURE_LINES_MAX], *law[FIGURE_LINES_MAX], *finding[FIGURE_LINES_MAX],
        *rule[FIGURE_LINES_MAX];                                            /* not NULL */
    const char *where[FIGURE_NAMES_MAX + 1], *series[FIGURE_NAMES_MAX + 1]; /* lists end with NULL */
    const char *columns[FIGURE_NAMES_MAX + 1], *state[FIGURE_NAMES_MAX + 1];
    const char *derive[FIGURE_NAMES_MAX + 1], *interval[FIGURE_NAMES_MAX + 1];
    bool all_axes; /* the caption states every axis that has a value, not only those of `state` */
};

/* Every figure of a folder: its .gp files but style.gp and palette.gp. ERROR_ENVIRONMENT with file and line for a directive that is
 * unknown. The caller frees all of them and the array, also after an error. */
int figures_read(const char *folder, struct figure **figures, size_t *count, struct error *error);
/* The same of a text, which the figure then owns. It has no file: its path is NULL, and its points are drawn as `draw` says. */
int figure_parse(char *text, const char *name, struct figure *figure, struct error *error);
void figure_free(struct figure *figure);
