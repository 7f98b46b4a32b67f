/* roofs.h - the roofs of a figure's points: one line per kind of roof and source. */
#pragma once

#include "core/roof.h"
#include "figure/collect.h"

struct figure_roof {
    enum roof_kind kind;
    int group;        /* of merged->group */
    double rate, low; /* the highest and the lowest of the points': bytes/s, or flop/s */
};

/* Add the roofs of a curve's points to a list that the caller frees; start with NULL and 0. They come from the columns
 * roof and roof_rate. Files of release 0.1 lack these: their roof is the copy peak, for points in DRAM that read as much
 * as they write. */
void roofs_add(const struct merged *merged, const struct series *series, struct figure_roof **all,
               int *count);

/* "DRAM read 4170 GB/s". */
void roof_describe(const struct figure_roof *roof, struct text *out);
