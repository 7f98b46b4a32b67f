/* chart.h - a figure as panels of curves in the units of its axes: what the layout places and gnuplot draws. */
#ifndef FIGURE_CHART_H
#define FIGURE_CHART_H

#include "figure/collect.h"
#include "figure/looks.h"
#include "figure/scale.h"

#define CHART_CURVES_MAX 8 /* of a panel; beyond, it is split */

struct chart_point {
    double x, y, low, high; /* low and high: the ends of the interval of y (or of x), NaN: it has none */
    double value;           /* of a cell; NaN */
    size_t row;             /* of the figure's rows */
};

struct chart_curve {
    char label[160];
    struct look look;
    bool line;                 /* among dots: corners of a line */
    double wide;               /* its line and marks are so many times as wide as others' */
    struct chart_point *point; /* owned; ascending along x */
    size_t points;
    const struct view *view; /* the columns that the figure asks for besides; NULL: none */
};

/* A line at one y, all through the panel: a roof, or what ratios are held against. */
struct chart_line {
    double y;
    char label[96];
    size_t
        brief; /* where the part of the label begins that will do where there is little room; 0: all of it */
};

struct chart_panel {
    char title[160];           /* "" when there is one panel */
    char brief[160];           /* the same with the device's name as short as tells it from the others */
    struct chart_curve *curve; /* owned */
    int curves;
    struct chart_line *line; /* owned */
    int lines;
    bool predicted; /* nothing in it was measured */
    int block;      /* whose y axis it has */
    bool breaks;    /* begins a row */
};

#define CHART_BLOCKS_MAX 6

/* Panels with one y axis. */
struct chart_block {
    struct scale y;
    char label[256];
    bool from_zero;
};

struct chart {
    struct chart_panel *panel; /* owned */
    int panels;
    struct chart_block block[CHART_BLOCKS_MAX]; /* ratios: the last */
    int blocks;
    struct scale x;
    double *x_value; /* owned: all there are, ascending */
    size_t x_values;
    char x_label[256];
    bool dots;          /* points are of their own, not of curves */
    bool across;        /* intervals are of x */
    bool cells;         /* points are cells, with their value in them */
    bool named;         /* curves stand beside their names on the y axis */
    bool areas;         /* curves are filled areas, with a pattern each */
    bool nested;        /* some curves are wider than those that are drawn over them */
    size_t cut_bars;    /* those that leave their panel */
    struct text remark; /* for the caption: what lines and bars are */
};

struct chart_options {
    bool normalise; /* shares of each point's own roof, and below the ratio of the devices' rates */
};

/* 1; 0 when there is nothing to draw, with the reason. chart_free releases it. `merged` and `data` must outlive it. */
int chart_build(const struct figure *figure, const struct merged *merged, const struct figure_data *data,
                const struct looks *looks, const struct chart_options *options, struct chart *chart,
                struct error *why);
void chart_free(struct chart *chart);

#endif
