/* font.h - how large a text is: the metrics of the font that cairo draws figures with.
 *
 * gnuplot's cairo terminals ask Pango for FONT_FAMILY, and Pango asks fontconfig; so does this. Kerning is left out:
 * it only makes texts narrower. */
#ifndef FIGURE_FONT_H
#define FIGURE_FONT_H

#include "base/error.h"

#define FONT_FAMILY "Sans"

struct font; /* opaque */

/* ERROR_ENVIRONMENT when there is no font. font_close releases it, NULL too. */
struct font *font_open(struct error *error);
void font_close(struct font *font);

/* Take texts for wider, by a factor, than they are: for a document's font, which is not known here. */
void font_stretch(struct font *font, double factor);

/* Inches that a UTF-8 text of one line takes at a size in points. */
double font_width(const struct font *font, const char *text, double points);

/* Inches from the baseline to the top of the highest letters, and down to the lowest (positive). */
double font_ascent(const struct font *font, double points);
double font_descent(const struct font *font, double points);

/* Where there is ink, in inches from the start of the baseline; y is up. All 0 for a text without ink. */
struct font_ink {
    double left, right, bottom, top;
};
struct font_ink font_ink(const struct font *font, const char *text, double points);

#endif
