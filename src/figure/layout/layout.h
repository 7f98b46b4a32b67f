/* layout.h - the position of everything on the page, computed before gnuplot runs.
 *
 * All texts, including tick labels, are measured (font.h) and placed here; gnuplot only draws. Lengths are inches from the
 * lower left corner of the page. */
#pragma once

#include "figure/chart.h"

#define LAYOUT_POINTS 7.0 /* size of texts */
#define LAYOUT_SMALL  6.0 /* of names of lines, and of a caption in the figure */

/* gnuplot centres a text at y: its baseline is at y - LAYOUT_BASELINE x its size. */
#define LAYOUT_BASELINE 0.33

#define LAYOUT_AREA 0.14 /* inches: of an area in the key; half as high */

enum layout_role {
    TEXT_TICK,
    TEXT_AXIS,  /* name and unit of an axis */
    TEXT_TITLE, /* of a panel */
    TEXT_KEY,   /* an entry of the key */
    TEXT_END,   /* at the end of a curve, in its colour */
    TEXT_LINE,  /* the name of a roof */
    TEXT_CELL,  /* the value of a cell */
    TEXT_CAPTION,
};

struct layout_text {
    char *text; /* owned */
    double x, y;
    int align; /* -1: starts at x; 0: centred; 1: ends there. Of a turned text along y */
    bool turned;
    enum layout_role role;
    int colour; /* of a curve, from 0; -1: the role's */
};

/* A line in the key, or from a curve's end to its label. */
struct layout_stroke {
    double x0, y0, x1, y1;
    struct style style; /* colour -1: that of roofs */
    bool thin;
};

struct layout_mark {
    double x, y;
    struct style style;
    bool area;   /* a piece of a filled area, LAYOUT_AREA wide */
    double cell; /* an area with the tint of a cell of this value; 0: with the style */
};

struct layout_panel {
    double left, right, bottom, top;
    struct scale x; /* with ticks of its own */
    int y;          /* index of the block with its y axis */
};

/* layout_free releases it. */
struct layout {
    double width, height;
    struct layout_panel *panel; /* owned; as many as the chart has */
    int panels;
    struct layout_text *text;
    size_t texts, text_capacity;
    struct layout_stroke *stroke;
    size_t strokes, stroke_capacity;
    struct layout_mark *mark;
    size_t marks, mark_capacity;
};

/* Place a chart on a page of that width. `caption`: text to print below, or NULL. Sets the ticks of the chart's y axes, and
 * extends them for the names of lines. */
void layout_make(struct chart *chart, const struct font *font, double width, const char *caption,
                 struct layout *layout);
void layout_free(struct layout *layout);

double layout_points(enum layout_role role);
