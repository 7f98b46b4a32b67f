/* caption.h - what a figure shows, in words: what was measured, on what, from which file, against what, with which
 * interval. */
#pragma once

#include "figure/chart.h"

/* `remark`: text of a computed table, or "". `brief`: without devices and files, for a document that has a table of them.
 * Caller frees the result. */
struct text caption_make(const struct figure *figure, const struct merged *merged,
                         const struct figure_data *data, const struct chart *chart, const char *remark,
                         bool brief);

/* Write FOLDER/NAME.caption.txt, NAME.caption.tex and NAME.short.tex, the title for the list of figures. */
int caption_write(const char *folder, const struct figure *figure, const char *caption, struct error *error);
