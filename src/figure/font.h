/* font.h - the size of texts: metrics of the font that cairo uses for figures.
 *
 * gnuplot's cairo terminals get FONT_FAMILY from fontconfig through Pango, and so does this. Kerning is ignored: it only
 * makes texts narrower. */
#pragma once

#include "base/error.h"

#define FONT_FAMILY "Sans"

struct font; /* opaque */

/* ERROR_ENVIRONMENT if there is no font. font_close accepts NULL. */
struct font *font_open(struct error *error);
void font_close(struct font *font);

/* Scale all widths by a factor: for LaTeX, whose document font is unknown here. */
void font_stretch(struct font *font, double factor);

/* Width in inches of a UTF-8 text of one line, at a size in points. */
double font_width(const struct font *font, const char *text, double points);

/* Inches from the baseline to the top of the highest letters, and down to the lowest (positive). */
double font_ascent(const struct font *font, double points);
double font_descent(const struct font *font, double points);

/* Bounding box of the ink, in inches from the start of the baseline; y is up. All 0 for a text without ink. */
struct font_ink {
    double left, right, bottom, top;
};
struct font_ink font_ink(const struct font *font, const char *text, double points);
