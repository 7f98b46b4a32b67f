/* page.h - the state of a page during layout; functions that add texts, strokes and marks. */
#pragma once

#include "figure/layout/layout.h"

#define MARGIN   0.04  /* of the page */
#define GAP      0.035 /* between texts and lines */
#define TIC      0.035 /* length of a tick */
#define BETWEEN  0.28  /* panels of a row */
#define RIGHT    0.14  /* of the last panel: half a tick's label */
#define SAMPLE   0.26  /* of a curve, in the key */
#define LONG     0.42  /* of a line among dots: two periods of its dashes */
#define PLOT_MIN 1.05  /* width of a panel */

struct line_name {
    char *label; /* owned */
    int panel;
    bool placed; /* false: no room, the name goes into the key */
    double x, y; /* inches from the panel's lower left corner */
    int align;   /* -1: it starts at x, 1: it ends there */
};

struct page {
    struct chart *chart;
    const struct font *font;
    struct layout *layout;
    double line, small; /* heights of a line of text */
    bool end_labels;    /* labels are at the curves' ends */
    double end_width;   /* of the widest of them */
    struct inside_label
        *inside;           /* owned: of all curves of all panels, in the panels; NULL: there is no room */
    int *row;              /* of each panel */
    int *column, *columns; /* of each panel; of each row */
    int rows;
    double left, plot_height, *plot_width; /* of each row */
    bool turned;                           /* names along x, which do not fit side by side */
    struct line_name *name;                /* names of the lines of all panels */
    size_t names;
};

void page_text(struct page *page, const char *text, double x, double y, int align, enum layout_role role,
               int colour);
void page_stroke(struct page *page, double x0, double y0, double x1, double y1, struct style style,
                 bool thin);
void page_mark(struct page *page, double x, double y, struct style style, bool area);

/* Break a text at spaces into lines of at most `width` inches, each ended by '\n'; `out` may be NULL. A wider word gets its
 * own line. Returns the number of lines. */
int page_wrap(const struct font *font, const char *text, double width, double points, struct text *out);

/* Place the lines of a text, the first at y; a word that is wider than `width` is cut. Returns their number. */
int page_lines(struct page *page, const char *text, double width, double x, double y, int align,
               enum layout_role role);

/* Find positions in a panel of that size in inches. Writes at most panel[p].lines + CHART_RULES_MAX names and returns their number. */
size_t line_names_place(const struct chart *chart, int panel, const struct font *font, double width,
                        double height, struct line_name *name);

/* Where the label of a curve stands in its panel: its left end and its middle, inches from the lower left corner. */
struct inside_label {
    double x, y;
};

/* Find places for the labels of all curves of a panel near their ends. `label`: one per curve. False if there is no room, and
 * they need a key. */
bool inside_labels_place(const struct chart *chart, int panel, const struct font *font, double width,
                         double height, const struct line_name *name, size_t names,
                         struct inside_label *label);

#define END_LABEL_GAP 0.14 /* inches that a panel gives up beside the widest label */

/* Decide whether all labels fit, and set page->end_labels, end_width and plot_width. */
void end_labels_decide(struct page *page, double width);

/* Decide whether the labels fit into the panels, and set page->inside. Needs the names of lines. */
void inside_labels_decide(struct page *page);

/* Place them, after the panels. */
void inside_labels_put(struct page *page);

/* Place the labels of a panel. */
void end_labels_put(struct page *page, int panel);

/* Place the key of the curves, or with `lines` that of the roofs, below `top`. Returns its height. */
double key_put(struct page *page, bool lines, double width, double top);
