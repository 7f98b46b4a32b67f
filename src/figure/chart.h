/* chart.h - a figure as panels of curves, in the units of its axes. The layout places it and gnuplot draws it. */
#pragma once

#include "figure/collect.h"
#include "figure/style.h"
#include "figure/scale.h"

#define CHART_CURVES_MAX 8 /* of a panel; more curves are divided into panels */
#define CHART_RULES_MAX  4

struct chart_point {
    double x, y, low, high; /* low and high: the interval of y (or of x); NaN: none */
    double value;           /* of a cell: its shade; NaN */
    double shown;           /* the number in the cell: its value, or another column */
    double spread;          /* shown below it with a ±; NaN: nothing */
    size_t row;             /* of the figure's rows */
    bool throttled;         /* y is a time or a rate, and the clock was held down meanwhile */
};

struct chart_curve {
    char label[160];
    struct style style;
    bool line;                 /* among dots: corners of a line */
    double wide;               /* factor of line width and mark size */
    struct chart_point *point; /* owned; ascending along x */
    size_t points;
    const struct view *view; /* further columns of the figure; NULL: none */
};

/* A horizontal line through the panel: a roof, or the reference of ratios. */
struct chart_line {
    double y;
    char label[96], brief[96]; /* the short form; the same if there is none */
    bool named;                /* the short form names it, too */
};

/* A vertical line at a length that explains the curves. */
struct chart_rule {
    double x;
    char label[96];
};

struct chart_panel {
    char title[160];           /* "" when there is one panel */
    char brief[160];           /* the same with a short device name */
    struct chart_curve *curve; /* owned */
    int curves;
    struct chart_line *line; /* owned */
    int lines;
    struct chart_rule rule[CHART_RULES_MAX];
    int rules;
    bool predicted; /* all its points are predicted */
    int block;      /* index of its y axis */
    bool breaks;    /* starts a row */
};

#define CHART_BLOCKS_MAX 6

/* Panels with one y axis. */
struct chart_block {
    struct scale y;
    char label[256];
    bool from_zero;
    bool cut; /* a linear axis of rates that does not start at zero */
};

struct chart {
    struct chart_panel *panel; /* owned */
    int panels;
    struct chart_block block[CHART_BLOCKS_MAX]; /* ratios: the last */
    int blocks;
    struct scale x;
    double *x_value; /* owned: all distinct values, ascending */
    size_t x_values;
    char x_label[256];
    bool dots;          /* points are not connected */
    bool across;        /* intervals are of x */
    bool cells;         /* points are cells, with their value in them */
    double reach;       /* of cells: the largest |log| of a value, at least 0.1 */
    bool named;         /* names of curves are ticks of the y axis */
    bool areas;         /* curves are filled areas, with a pattern each */
    bool single;        /* one curve, which needs no label: the caption names it */
    bool nested;        /* some curves coincide; the lower ones are wider */
    bool shares;        /* y is a share of the roof, whose range is in the intervals */
    bool roofs;         /* points are shown beside their roofs, or as shares of them */
    size_t cut_bars;    /* intervals that would leave the panel, and are not drawn */
    struct text remark; /* for the caption: sentences, each with a space before it */
};

struct chart_options {
    bool normalise; /* plot shares of each point's roof, and below them ratios of devices */
};

/* Returns 1, or 0 with the reason if there is nothing to draw. chart_free releases it. `merged` and `data` must outlive it. */
int chart_build(const struct figure *figure, const struct merged *merged, const struct figure_data *data,
                const struct style_slots *slots, const struct chart_options *options, struct chart *chart,
                struct error *why);
void chart_free(struct chart *chart);
