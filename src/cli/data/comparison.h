/* comparison.h - the points of two results files side by side. */
#ifndef CLI_DATA_COMPARISON_H
#define CLI_DATA_COMPARISON_H

#include "cli/data/view.h"

enum comparison_verdict {
    COMPARISON_FASTER,
    COMPARISON_SLOWER,
    COMPARISON_SAME,
    COMPARISON_UNMEASURED,
    COMPARISON_COUNT
};

struct comparison {
    struct dataset table; /* a row per point: axes that vary, both times and intervals, speedup, verdict */
    size_t verdicts[COMPARISON_COUNT];
    size_t only_a, only_b; /* points that the other file does not have */
};

/* Pair the rows of the views by id, and what is left by equal kernel and equal values of the axes that both
 * files have. A point is faster or slower in `b` when the intervals of the medians are disjoint.
 * ERROR_ENVIRONMENT when a file lacks the columns that every results file has. comparison_free releases it.
 */
int comparison_make(const struct view *a, const struct view *b, struct comparison *comparison,
                    struct error *error);
void comparison_free(struct comparison *comparison);

#endif
