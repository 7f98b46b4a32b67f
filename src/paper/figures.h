/* figures.h - all figures of a paper, drawn by `warpsweep plot`, several at a time. */
#ifndef PAPER_FIGURES_H
#define PAPER_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct drawn {
    char *name, *title, *kernel; /* owned; kernel "*": of all families */
    char *caption;               /* owned; NULL: it was not drawn */
    char *reason;                /* owned; why not */
    bool wide;                   /* both columns */
    double height;               /* inches, as it was drawn first: in one column */
};

/* In the order of the files' names. figures_free releases it. */
struct figures {
    struct drawn *figure; /* owned */
    size_t count;
};

/* Draw what the files have the data for as NAME.pdf and NAME.svg, with NAME.caption.tex and NAME.caption.txt, into
 * `folder`: for one column, and what would be too high there for two. `analysis`: the folder of the figures' gnuplot
 * files. */
int figures_draw(char *const *paths, int count, const char *analysis, const char *folder,
                 struct figures *figures, struct error *error);
void figures_free(struct figures *figures);

#endif
