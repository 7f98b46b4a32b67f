/* svg.h - gnuplot's SVG made fit for pages. */
#ifndef PAPER_SVG_H
#define PAPER_SVG_H

#include "base/text.h"

struct svg {
    double width, height; /* in 96ths of an inch */
    char maker[80];       /* "GNUPLOT 5.4 patchlevel 4": another draws other bytes */
    struct text body;     /* what is within <svg>; svg_free releases it */
};

/* Read a drawing of gnuplot's terminal svg and leave out what is not seen: groups without content, strokes of no
 * length, and marks that lie exactly on one of the same curve. Names of marks begin with `prefix`, so that several
 * drawings can stand on one page; colours are written as #rrggbb. -1 when it is no such drawing. */
int svg_read(const char *drawing, const char *prefix, struct svg *svg);
void svg_free(struct svg *svg);

/* As a file of its own. Fonts are those that readers have, as wide as the one that was measured. */
void svg_write_file(const struct svg *svg, struct text *out);

/* Within a page: <svg role="img"> that is called by the element `title`; without the white paper below it. */
void svg_write_inline(const struct svg *svg, const char *title, struct text *out);

#endif
