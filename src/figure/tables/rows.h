/* rows.h - internal to figure/tables: rows of computed tables, and the functions that fill them. */
#pragma once

#include "base/text.h"
#include "results/merge.h"
#include "table/view.h"

/* Columns that only figures' tables have (core/column_name.h); figure/tables/tables.h says what is in them. */
enum figure_column_is {
    COLUMN_IS_above,
    COLUMN_IS_access,
    COLUMN_IS_across,
    COLUMN_IS_across_name,
    COLUMN_IS_below,
    COLUMN_IS_change,
    COLUMN_IS_change_high,
    COLUMN_IS_change_low,
    COLUMN_IS_counted,
    COLUMN_IS_class,
    COLUMN_IS_decile,
    COLUMN_IS_deviation,
    COLUMN_IS_difference,
    COLUMN_IS_difference_high,
    COLUMN_IS_difference_low,
    COLUMN_IS_effect,
    COLUMN_IS_effect_high,
    COLUMN_IS_effect_low,
    COLUMN_IS_end,
    COLUMN_IS_fp16,
    COLUMN_IS_fp32,
    COLUMN_IS_fp64,
    COLUMN_IS_height,
    COLUMN_IS_intensity,
    COLUMN_IS_judged,
    COLUMN_IS_lined,
    COLUMN_IS_lower,
    COLUMN_IS_measured,
    COLUMN_IS_mean,
    COLUMN_IS_median,
    COLUMN_IS_microseconds,
    COLUMN_IS_order,
    COLUMN_IS_phase,
    COLUMN_IS_place,
    COLUMN_IS_point,
    COLUMN_IS_points,
    COLUMN_IS_predicted,
    COLUMN_IS_quantity,
    COLUMN_IS_rank,
    COLUMN_IS_rate,
    COLUMN_IS_reason,
    COLUMN_IS_residual,
    COLUMN_IS_roof_name,
    COLUMN_IS_share,
    COLUMN_IS_share_high,
    COLUMN_IS_share_low,
    COLUMN_IS_shown,
    COLUMN_IS_speedup,
    COLUMN_IS_speedup_high,
    COLUMN_IS_speedup_low,
    COLUMN_IS_spread,
    COLUMN_IS_start,
    COLUMN_IS_time,
    COLUMN_IS_up,
    COLUMN_IS_up_name,
    COLUMN_IS_z
};

/* Add a row of a group (its label) and a kernel, with `count` numbers in the columns `names`. */
void rows_add(struct merged *table, const char *group, const char *kernel, const char *const *names,
              const double *values, int count);

/* Set a column of text in the last row. */
void rows_add_word(struct merged *table, const char *name, const char *word);

/* ---- heat.c ---- */

/* Make rows of cells from the table `ratios` (figure/tables/tables.h): across, up (positions from 0, in the order of values),
 * across_name, up_name, speedup, points. `axes`: "stride,dtype", the first along x. ERROR_USAGE if an axis is missing. */
int heat_of(const struct frame *ratios, const char *axes, struct frame *cells, struct error *error);

/* ---- contention.c ---- */

/* `view`: the rows of `all` to use. Adds how wide the intervals are to the caption. 0, or -1 with the reason if the table is empty. */
int contention_table(const struct merged *all, const struct view *view, struct merged *table,
                     struct text *caption, struct error *why);

/* ---- links.c ---- */

/* `view`: the rows to use. Adds how wide the intervals are to the caption. 0, or -1 with the reason if the table is empty. */
int links_table(const struct view *view, struct merged *table, struct text *caption, struct error *why);

/* ---- points.c ---- */

/* `view`: the rows to use; only points_canaries gets repetitions of canaries. Adds text for the caption. 0, or -1 with the
 * reason if the table is empty. */
int points_model(const struct view *view, struct merged *table, struct text *caption, struct error *why);
/* Only the rows with a residual. */
int points_residuals(const struct view *view, struct merged *table, struct text *caption, struct error *why);
int points_predicted(const struct view *view, struct merged *table, struct text *caption, struct error *why);
int points_canaries(const struct view *view, struct merged *table, struct text *caption, struct error *why);

/* ---- roofline.c ---- */

/* `view`: the rows of `all` to use. 0, or -1 with the reason if the table is empty. */
int roofline_table(const struct merged *all, const struct view *view, struct merged *table,
                   struct error *why);

/* ---- ladder.c ---- */

/* `view`: the rows of `all` to use. 0, or -1 with the reason if there are too few steps. */
int ladder_table(const struct merged *all, const struct view *view, struct merged *table, struct error *why);

/* ---- samples.c ---- */

#define SAMPLES_POINTS_MAX 8 /* of a device */

/* The table `samples`, or with `densities` the table `densities` (figure/tables/tables.h). A point is named by the axes in
 * which the points differ. `view`: rows of `all`, which is merged from `paths`. ERROR_USAGE without samples, or with too
 * many points to distinguish. */
int samples_of(char *const *paths, int count, const struct merged *all, const struct view *view,
               bool densities, struct merged *table, struct error *error);

/* ---- stacks.c ---- */

/* `view`: the rows of `all` to use. 0, or -1 with the reason if the table is empty. */
/* Adds the names of the libraries to the caption. */
int stacks_best(const struct merged *all, const struct view *view, struct merged *table, struct text *caption,
                struct error *why);
int stacks_stalls(const struct merged *all, const struct view *view, struct merged *table, struct error *why);
int stacks_bottlenecks(const struct merged *all, const struct view *view, struct merged *table,
                       struct error *why);

/* ---- timeline.c ---- */

/* The last run of the only file. Adds text for the caption. 0, or -1 with the reason if the table is empty. */
int timeline_of(const struct merged *all, struct merged *table, struct text *caption, struct error *why);

/* ---- history.c ---- */

/* Three files or more of one product. Sets the only group of the table, and the figure's title: what was found. Adds text for the
 * caption. 0, or -1 with the reason. */
int history_of(char *const *paths, size_t count, struct merged *table, struct text *title,
               struct text *caption, struct error *why);
