/* gnuplot.h - draw one figure with gnuplot. */
#pragma once

#include "figure/layout/layout.h"

/* The words of --format; NULL-terminated. */
extern const char *const gnuplot_formats[];

struct gnuplot_output {
    const char *folder;   /* of the figure; it exists */
    const char *format;   /* one of gnuplot_formats */
    const char *analysis; /* the folder of style.gp */
    bool keep_data;       /* keep NAME.tsv and NAME.plot beside the figure */
};

/* The figure's file, FOLDER/NAME.pdf. Caller frees. */
char *gnuplot_file(const struct gnuplot_output *output, const char *name);

/* ERROR_ENVIRONMENT if gnuplot is missing or fails; an incomplete file is removed. */
int gnuplot_draw(const struct figure *figure, const struct chart *chart, const struct layout *layout,
                 const struct gnuplot_output *output, struct error *error);
