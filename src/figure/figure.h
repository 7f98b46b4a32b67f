/* figure.h - what a figure's gnuplot file asks for: the lines that begin with "#:". docs/figures.md tells users of them.
 *
 *   #: title    Bandwidth against stride      one line about it, for the caption
 *   #: kernel   copy                          whose points; * for every kernel's
 *   #: table    fleet                         rows that are worked out from the files (figure/tables.h), not
 *                                             those of /results
 *   #: where    vector=1 variant=load,store   rows: conditions as `warpsweep table --where` takes them
 *   #: derive   ratio=flops/bytes_read        columns to work out, as `warpsweep table --derive` does
 *   #: x        stride                        the axis along x; at least two of its values have to be there.
 *                                             Or a measured column: then rows are dots, and nothing is pinned
 *   #: place    in_flight                     the column whose values are the places along x, when not x itself
 *   #: xlabel   Stride (accesses)             with its unit
 *   #: xscale   log2                          linear, log2, log10 or log2+1; unsaid, what the values ask for
 *   #: y        bandwidth                     a column of numbers
 *   #: ylabel   Latency (cycles)              with the unit to draw in; unsaid, what people call the column, and a unit
 *                                             for its size
 *   #: yscale   log2                          as xscale; unsaid, from zero, or log10 where most points would lie there
 *   #: interval latency_p05 latency_p95       the ends of bars, and what they are (the rest of the line, with _ for
 *                                             spaces); unsaid, the 95 % interval of the median time
 *   #: contrast hint                          an axis of which at least two values have to be there
 *   #: series   variant dtype                 one curve for each combination of these
 *   #: panel    dtype                         one panel for each of its values; unsaid, panels are made when one would
 *                                             have more than 8 curves
 *   #: scales   own                           own: the panels of `panel` have a y axis each, below one another; one
 *   #: draw     dots                          curves (unsaid), or dots: points of their own; across: so too, and
 *                                             intervals are along x; cells: the same, as a table of coloured cells;
 *                                             areas: the same, each curve a filled area
 *   #: roof     none                          byte, flop or none; unsaid, by what y is
 *   #: line     100 measured roof             a line at a height (or of a column's value), and its name; may be repeated
 *   #: names    kernel                        a column whose words stand along y in place of the numbers of y, and
 *   #: xnames   stride_word                   along x
 *   #: columns  items                         what else the drawing reads, by name
 *   #: state    size cache                    axes whose value the caption states
 *   #: baseline variant=memcpy                rows to which pinned axes mean nothing: the vendor's own
 *   #: remark   Filled: loads.                added to the caption
 *
 * Axes that still vary within a curve are pinned to one value - that with most points along x, then the
 * larger one - and the caption says so. The rest of the file is gnuplot's; analysis/style.gp lists the variables that
 * it finds set. */
#ifndef FIGURE_FIGURE_H
#define FIGURE_FIGURE_H

#include "base/error.h"

#define FIGURE_NAMES_MAX 16
#define FIGURE_LINES_MAX 4

struct figure {
    char *path, *name;                  /* owned; name is the file's without .gp */
    char *text;                         /* owned: the directives point into it */
    const char *title, *kernel, *x, *y; /* never NULL; of the others any may be */
    const char *table, *place, *x_label, *x_scale, *y_label, *y_scale, *roof, *draw, *panel, *baseline,
        *remark;
    const char *names, *x_names, *scales, *contrast;
    const char *line[FIGURE_LINES_MAX];                                     /* those that are not NULL */
    const char *where[FIGURE_NAMES_MAX + 1], *series[FIGURE_NAMES_MAX + 1]; /* lists end with NULL */
    const char *columns[FIGURE_NAMES_MAX + 1], *state[FIGURE_NAMES_MAX + 1];
    const char *derive[FIGURE_NAMES_MAX + 1], *interval[FIGURE_NAMES_MAX + 1];
};

/* Read the directives of a file. ERROR_ENVIRONMENT with file and line for one that is unknown. */
int figure_read(const char *path, struct figure *figure, struct error *error);
void figure_free(struct figure *figure);

#endif
