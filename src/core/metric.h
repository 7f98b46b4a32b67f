/* metric.h - the hardware counters: our column, CUPTI's metric, unit and meaning, in one table.
 *
 * A column is a CUPTI metric, or the quotient of two times a factor, so that ratios cost no further pass.
 * Where chips call a metric differently, the names stand in order and the first that a chip has is taken; a
 * chip that has none of them has no such column, which is told and never replaced. */
#ifndef CORE_METRIC_H
#define CORE_METRIC_H

#include <stddef.h>

enum metric_set {
    METRIC_COALESCING = 1 << 0,
    METRIC_MEMORY = 1 << 1,
    METRIC_SHARED = 1 << 2,
    METRIC_OCCUPANCY = 1 << 3,
    METRIC_STALLS = 1 << 4,
    METRIC_ROOFLINE = 1 << 5,
    METRIC_ALL = (1 << 6) - 1,
};

struct metric {
    const char *column, *unit, *meaning;
    const char *cupti[2]; /* alternatives, NULL where there is one only */
    const char *per[2];   /* divisor: alternatives; per[0] NULL: none */
    double factor;
    unsigned sets; /* enum metric_set */
};

extern const struct metric metrics[];
extern const int metric_count;

/* The table's row for a column, or NULL: then the name is the user's own CUPTI metric. */
const struct metric *metric_find(const char *column);

/* The names of the sets, NULL-terminated: "coalescing", "memory", ..., "all", "none". */
extern const char *const metric_sets[];

/* Fill `columns` (room for RESULT_COUNTERS_MAX) with the columns of a set, in the table's order; returns how
 * many, 0 for "none", -1 for a name that is no set's. */
int metric_set_columns(const char *set, const char **columns);

#endif
