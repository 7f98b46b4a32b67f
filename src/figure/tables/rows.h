/* rows.h - add rows to a computed table: the columns that every row of /results has, and the table's own. */
#ifndef FIGURE_TABLES_ROWS_H
#define FIGURE_TABLES_ROWS_H

#include "results/merge.h"

/* Columns that only figures' tables have (core/column_name.h); figure/tables/tables.h says what is in them. */
enum figure_column_is {
    COLUMN_IS_above,
    COLUMN_IS_access,
    COLUMN_IS_across,
    COLUMN_IS_across_name,
    COLUMN_IS_after_intensity,
    COLUMN_IS_after_rate,
    COLUMN_IS_below,
    COLUMN_IS_change,
    COLUMN_IS_change_high,
    COLUMN_IS_change_low,
    COLUMN_IS_counted,
    COLUMN_IS_decile,
    COLUMN_IS_deviation,
    COLUMN_IS_difference,
    COLUMN_IS_difference_high,
    COLUMN_IS_difference_low,
    COLUMN_IS_effect,
    COLUMN_IS_effect_high,
    COLUMN_IS_effect_low,
    COLUMN_IS_end,
    COLUMN_IS_height,
    COLUMN_IS_intensity,
    COLUMN_IS_judged,
    COLUMN_IS_lined,
    COLUMN_IS_lower,
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
    COLUMN_IS_rate_high,
    COLUMN_IS_rate_low,
    COLUMN_IS_reason,
    COLUMN_IS_residual,
    COLUMN_IS_roof_name,
    COLUMN_IS_share,
    COLUMN_IS_share_high,
    COLUMN_IS_share_low,
    COLUMN_IS_speedup,
    COLUMN_IS_speedup_high,
    COLUMN_IS_speedup_low,
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

#endif
