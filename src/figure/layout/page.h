/* page.h - a page while it is laid out: what is settled step by step, and texts, strokes and marks put on it. */
#ifndef FIGURE_LAYOUT_PAGE_H
#define FIGURE_LAYOUT_PAGE_H

#include "figure/layout/layout.h"
#include "figure/layout/place.h"

#define MARGIN     0.04  /* of the page */
#define GAP        0.035 /* between texts and lines */
#define TIC        0.035 /* length of a tick */
#define BETWEEN    0.24  /* panels of a row */
#define RIGHT      0.14  /* of the last panel: half a tick's label */
#define SAMPLE     0.26  /* of a curve, in the key */
#define LONG       0.42  /* of one that is a line among dots: two periods of its dashes */
#define LEAST_PLOT 1.05  /* width of a panel */

struct page {
    struct chart *chart;
    const struct font *font;
    struct layout *layout;
    double line, small;    /* heights of a line of text */
    bool ends;             /* labels stand at the curves' ends */
    double end_width;      /* of the widest of them */
    int *row;              /* of each panel */
    int *column, *columns; /* of each panel; of each row */
    int rows;
    double left, plot_height, *plot_width; /* of each row */
    struct place_name *name;               /* names of lines, a list for all panels */
    size_t names;
};

void page_text(struct page *page, const char *text, double x, double y, int align, enum layout_role role,
               int colour);
void page_stroke(struct page *page, double x0, double y0, double x1, double y1, struct look look, bool thin);
void page_mark(struct page *page, double x, double y, struct look look, bool area);

/* Break a text at spaces into lines of at most `width` inches, each ended by '\n'. Returns how many; a word that is
 * wider has a line of its own. */
int page_wrap(const struct font *font, const char *text, double width, double points, struct text *out);

/* Cut a text to a width, with an ellipsis. */
void page_cut(const struct font *font, char *text, double width, double points);

#endif
