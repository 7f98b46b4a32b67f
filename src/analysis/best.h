/* best.h - the best point of each family on each device, and the points it is compared with. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "results/merge.h"
#include "table/view.h"

#define BEST_NONE SIZE_MAX

struct best {
    const char *kernel;
    int group;  /* of merged->group */
    size_t row; /* of the results: the largest share of its roof; of own kernels, where the family has any */
    size_t closest; /* the largest share of its roof, of own kernels and the vendor's */
    size_t vendor;  /* the vendor's fastest kernel at the same work and L2 state; BEST_NONE */
    size_t
        next; /* the fastest of the family's other variants whose interval does not overlap `row`'s; BEST_NONE */
    size_t points; /* measured ones of the family that `row` is the best of: its own, or all a vendor's */
    size_t shapes; /* those of them at the work and L2 state of `row` */
    size_t vendors_shapes; /* that `vendor` is the fastest of */
};

/* Among the rows of a view of merged->all, by device, then by family name. Returns the count; the caller frees the list. */
size_t best_of_families(const struct merged *merged, const struct view *view, struct best **best);

/* Whether a row was measured with a library's kernel (memcpy, cuBLAS, a whole CUB algorithm). */
bool best_is_vendor(const struct merged *merged, size_t row);

/* Whether the 95 % intervals of two times do not overlap: only then is one called faster. */
bool best_told_apart(const struct merged *merged, size_t row, size_t other);
