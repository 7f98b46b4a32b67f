/* best.h - the best point of each family on each device, and what it is held against. */
#ifndef ANALYSIS_BEST_H
#define ANALYSIS_BEST_H

#include <stdbool.h>
#include <stddef.h>

#include "results/merge.h"
#include "results/view.h"

#define BEST_NONE SIZE_MAX

struct best {
    const char *kernel;
    int group;  /* of merged->group */
    size_t row; /* of the results: the largest share of its roof; of own kernels, where the family has any */
    size_t vendor; /* the vendor's fastest at the same work in the same state of L2; BEST_NONE */
    size_t
        next; /* of the family's other variants the fastest at it that is told apart from `row`; BEST_NONE */
};

/* Of the rows of a view of merged->all. Returns how many; the caller frees them. In the order of the devices, then of
 * the families' names. */
size_t best_of_families(const struct merged *merged, const struct view *view, struct best **best);

/* Whether a row is of a library's kernel (memcpy, cublas, a whole CUB algorithm), in place of the family's own. */
bool best_is_vendor(const struct merged *merged, size_t row);

/* Whether the 95 % intervals of two times lie apart: only then is one called faster. */
bool best_told_apart(const struct merged *merged, size_t row, size_t other);

/* Whether two rows do the same: bytes, operations, and what L2 holds when they begin. */
bool best_same_work(const struct merged *merged, size_t row, size_t other);

#endif
