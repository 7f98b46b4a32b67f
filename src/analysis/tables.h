/* tables.h - a comparison as tables: a row a point, and a row a family. */
#pragma once

#include "analysis/comparison.h"

/* Columns that only these tables have (core/column_name.h). */
enum comparison_column_is {
    COLUMN_IS_a,
    COLUMN_IS_b,
    COLUMN_IS_time_a,
    COLUMN_IS_time_b,
    COLUMN_IS_ratio,
    COLUMN_IS_ratio_low,
    COLUMN_IS_ratio_high,
    COLUMN_IS_share_a,
    COLUMN_IS_share_b,
    COLUMN_IS_verdict,
    COLUMN_IS_points_not_measured,
    COLUMN_IS_points_faster,
    COLUMN_IS_points_slower,
    COLUMN_IS_points_same,
    COLUMN_IS_points_uncertain,
    COLUMN_IS_points_only_a,
    COLUMN_IS_points_only_b,
    COLUMN_IS_detectable
};

/* The points of one family or of all, summarised. */
struct group {
    size_t section;
    const char *kernel; /* NULL: all families of the section */
    struct verdict_ratio ratio;
    size_t verdicts[VERDICT_COUNT]; /* of points on both sides */
    size_t only_a, only_b;
    double
        detectable; /* the smallest difference that 95 % of its points would have shown (verdict_detectable) */
    double share_a, share_b; /* geometric means of the shares of the roofs, of points that have both */
};

/* The families of each section by name, then all together if there are several. The caller frees. */
struct group *tables_groups(const struct comparison *comparison, size_t *count);

/* The words of enum verdict, as tables have them. */
extern const char *const verdict_words[VERDICT_COUNT];

/* A row for each pair, in their order: kernel, the axes that vary (before them, with `by`, the two values as
 * `a` and `b`), times, ratio with its interval, shares of the roofs, verdict. */
struct dataset tables_points(const struct comparison *comparison);

/* The same for some of the pairs. */
struct dataset tables_some_points(const struct comparison *comparison, const size_t *pair, size_t count);

/* The groups as rows. */
struct dataset tables_families(const struct comparison *comparison);

/* All columns of either; points are sorted by kernel and axes. */
struct view tables_view(const struct dataset *table);
