/* gnuplot.h - draw one figure: write what it shows where gnuplot finds it, and run gnuplot. */
#ifndef FIGURE_LAYOUT_GNUPLOT_H
#define FIGURE_LAYOUT_GNUPLOT_H

#include "figure/layout/layout.h"

/* The words of --format; NULL-terminated. */
extern const char *const gnuplot_formats[];

struct gnuplot_output {
    const char *folder;   /* where the figure goes; it exists */
    const char *format;   /* one of gnuplot_formats */
    const char *analysis; /* the folder of style.gp */
    bool keep_data;       /* leave NAME.tsv and NAME.plot beside the figure, to redraw it by hand */
};

/* The file that a figure becomes: FOLDER/NAME.pdf. Caller frees. */
char *gnuplot_file(const struct gnuplot_output *output, const char *name);

/* Draw. ERROR_ENVIRONMENT when gnuplot is not there or fails; no half-drawn file stays then. */
int gnuplot_draw(const struct figure *figure, const struct chart *chart, const struct layout *layout,
                 const struct gnuplot_output *output, struct error *error);

#endif
