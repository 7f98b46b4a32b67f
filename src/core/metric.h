/* metric.h - the hardware counters: our column, CUPTI's metric, unit and meaning, in one table.
 *
 * A column is a CUPTI metric, or the quotient of two times a factor, so that ratios need no further pass. If
 * chips have different names for a metric, they are listed in order of preference, and the first that a chip
 * has is used. A chip with none of them lacks the column; this is reported, and nothing replaces it. */
#pragma once

#include <stddef.h>

/* X(name, word in a job). `all` has no `links`, which CUPTI counts beside no metric of another unit, and no
 * `tensor`, which takes a pass for each type. */
#define METRIC_SETS(X)                                                                                       \
    X(COALESCING, "coalescing")                                                                              \
    X(MEMORY, "memory")                                                                                      \
    X(SHARED, "shared")                                                                                      \
    X(OCCUPANCY, "occupancy")                                                                                \
    X(STALLS, "stalls")                                                                                      \
    X(ROOFLINE, "roofline")                                                                                  \
    X(ATOMICS, "atomics")                                                                                    \
    X(CLUSTER, "cluster")                                                                                    \
    X(PEERS, "peers")                                                                                        \
    X(LINKS, "links")                                                                                        \
    X(TENSOR, "tensor")

enum {
#define X(name, word) METRIC_BIT_##name,
    METRIC_SETS(X)
#undef X
        METRIC_BITS
};
enum metric_set {
#define X(name, word) METRIC_##name = 1 << METRIC_BIT_##name,
    METRIC_SETS(X)
#undef X
        METRIC_ALL = (1 << METRIC_BITS) - 1,
};

enum { METRIC_NAMES_MAX = 3 };

struct metric {
    const char *column, *unit, *meaning;
    const char *cupti[METRIC_NAMES_MAX]; /* alternatives, ended by NULL if there are fewer */
    const char *per[METRIC_NAMES_MAX];   /* divisor: alternatives; per[0] NULL: none */
    double factor;
    unsigned sets; /* enum metric_set */
};

extern const struct metric metrics[];
extern const int metric_count;

/* The row of a column; NULL: the name is a CUPTI metric of the user. */
const struct metric *metric_find(const char *column);

/* The names of the sets, NULL-terminated: "coalescing", "memory", ..., "all", "none". */
extern const char *const metric_sets[];

/* Fill `columns` (room for RESULT_COUNTERS_MAX) with the columns of a set, in the order of the table. Returns
 * their number, 0 for "none", -1 for an unknown set. */
int metric_set_columns(const char *set, const char **columns);
