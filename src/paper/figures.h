/* figures.h - draw all figures of a paper with `warpsweep plot`, in parallel. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct drawn {
    char *name, *title, *kernel; /* owned; kernel "*": of all families */
    char *caption;               /* owned; NULL: it was not drawn */
    char *reason;                /* owned; reason, if not drawn */
    bool wide;                   /* over both columns */
    double height;               /* inches, drawn in one column */
};

/* In the order of the files' names. figures_free releases it. */
struct figures {
    struct drawn *figure; /* owned */
    size_t count;
};

/* Draw all figures with data into `folder`: NAME.pdf, NAME.svg, NAME.caption.tex, NAME.caption.txt. A figure that is too high
 * for one column gets two. `analysis`: folder of the figures' gnuplot files. */
int figures_draw(char *const *paths, int count, const char *analysis, const char *folder,
                 struct figures *figures, struct error *error);
void figures_free(struct figures *figures);
