/* figure.h - what a figure's gnuplot file asks for, and the data it gets.
 *
 * A figure is one file, analysis/NAME.gp, that begins with lines saying what it shows:
 *
 *   #: title    Bandwidth against stride      one line about it
 *   #: kernel   copy                          whose points; * for every kernel's
 *   #: table    fleet                         rows that are worked out from the files (figure/tables.h), not
 *                                             those of /results
 *   #: where    vector=1 variant=load,store   rows: conditions as `warpsweep table --where` takes them
 *   #: x        stride                        the axis along x; at least two of its values have to be there.
 *                                             Or a measured column: then rows are dots, and nothing is pinned
 *   #: series   variant dtype                 one curve for each combination of these
 *   #: columns  bandwidth bandwidth_low       what else it reads, by name
 *   #: state    size cache                    axes whose value the caption states
 *   #: baseline variant=memcpy                rows to which pinned axes mean nothing: the vendor's own
 *
 * Axes that still vary within a curve are pinned to one value - that with most points along x, then the
 * larger one - and the caption says so. The rest of the file is gnuplot's; src/cli/figure/gnuplot.c lists the
 * variables that it finds set. */
#ifndef CLI_FIGURE_FIGURE_H
#define CLI_FIGURE_FIGURE_H

#include "base/text.h"
#include "cli/data/merge.h"
#include "cli/data/view.h"

#define FIGURE_NAMES_MAX 16

struct figure {
    char *path, *name;                                 /* owned; name is the file's without .gp */
    char *text;                                        /* owned: the directives point into it */
    const char *title, *kernel, *x, *baseline, *table; /* baseline and table may be NULL */
    const char *where[FIGURE_NAMES_MAX + 1], *series[FIGURE_NAMES_MAX + 1]; /* end with NULL */
    const char *columns[FIGURE_NAMES_MAX + 1], *state[FIGURE_NAMES_MAX + 1];
};

/* Read the directives of a file. ERROR_ENVIRONMENT with file and line for one that is unknown. */
int figure_read(const char *path, struct figure *figure, struct error *error);
void figure_free(struct figure *figure);

/* One curve: rows of `view`, ascending along x. */
struct series {
    struct view view;
    char label[160]; /* "load f32"; the group is not in it */
    int colour;      /* from 0: equal labels have equal colours */
    int group;       /* of merged->group */
};

struct figure_data {
    struct series *series;
    int count;
    struct text conditions; /* "size 64MiB, cache cold" */
};

/* Collect what the figure shows. 1 when there is data; 0 when not, with the reason in `why`. figure_data_free
 * releases it; `merged` must outlive it. */
int figure_collect(const struct figure *figure, const struct merged *merged, struct figure_data *data,
                   struct error *why);
void figure_data_free(struct figure_data *data);

/* Whether x is an axis, not a measured column. */
bool figure_is_of_axis(const struct figure *figure, const struct merged *merged);

#endif
