/* making.h - state while a chart is built, shared by the files that build it. */
#pragma once

#include "core/roof.h"
#include "figure/chart.h"

struct making {
    const struct figure *figure;
    const struct merged *merged;
    const struct figure_data *data;
    const struct style_slots *slots;
    bool normalise, names_devices, across;
    const char *y; /* the column of y */
    double scale;  /* what y is divided by: 1e9 for GB/s */
    int split;     /* index of the series' axis that divides panels; -1: none */
    int *part;     /* of each series: number of its panel along `split` */
    int parts, groups,
        *group_index; /* groups: devices with curves; group_index: by merged group, -1: no curves */
    enum roof_kind none;
};

/* The number in a row's column; NaN if missing. */
double making_number(const struct frame *frame, size_t row, const char *name);

/* Is y a share of the roof? */
bool making_is_share(const struct making *making);

/* The interval at a row, NaN if none: the columns that the figure names; of a share of the roof its own, with the roof's range; of
 * another rate the interval of the time. */
void making_interval(const struct making *making, size_t row, double y, double ends[2]);

/* Add an empty element to a chart or panel. The pointer is valid until the next one is added. */
struct chart_panel *making_add_panel(struct chart *chart);
struct chart_curve *making_add_curve(struct chart_panel *panel);
struct chart_line *making_add_line(struct chart_panel *panel, double y);

/* ---- axes.c ---- */

/* Set making->scale and the label of y with its unit. */
void axes_choose_unit(struct making *making, char *label, size_t size);

/* Scales of x, and of y in a block, from the points of the panels. */
void axes_fit_x(const struct making *making, struct chart *chart);
void axes_fit_y(const struct making *making, int block, struct chart *chart);

/* ---- split.c ---- */

/* Choose the axis that divides curves into panels, and set making->split, part and parts. It gives the fewest panels of at
 * most CHART_CURVES_MAX curves, or the least crowded ones. Dots are not divided. */
void split_choose(struct making *making, bool dots);

/* Set label and style of a curve. The label omits axes that all curves of its panel share. */
void split_name_curve(const struct making *making, int series, struct chart_curve *curve);

/* "items 4", "restrict yes"; but only "load" and "f32", which need no name. */
void split_name_value(const struct merged *merged, const struct view *view, int axis, struct text *out);

/* ---- rules.c ---- */

/* Add the vertical rules of a panel: the knees of laws that its points keep, and the columns of `rule`. `series`: one of the
 * panel's. Needs the curves. */
void rules_add(const struct making *making, int part, int group, const struct series *series,
               struct chart_panel *panel);

/* ---- alike.c ---- */

/* Join the curves that are one in all panels. Adds a sentence to the chart's remark. Needs the axes. */
void alike_join(struct chart *chart);

/* ---- ratios.c ---- */

/* Add them to a chart. Its panels must be ordered by part, then device. */
void ratios_add(const struct making *making, struct chart *chart);
