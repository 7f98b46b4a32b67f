/* roofs.h - what bounds the points of a figure: a line for each kind of roof of each source. */
#ifndef CLI_FIGURE_ROOFS_H
#define CLI_FIGURE_ROOFS_H

#include "cli/figure/figure.h"
#include "core/roof.h"

struct figure_roof {
    enum roof_kind kind;
    int group;        /* of merged->group */
    double rate, low; /* the highest and the lowest of the points': bytes/s, or flop/s */
    bool left;        /* the end where the curves are further below it, so that its name has room there */
    bool below;       /* both ends above it are taken by the names of others */
};

/* From the columns roof and roof_rate. Files of release 0.1 do not have them: there the roof is the copy peak,
 * for points in DRAM that read as much as they write. The caller frees. */
struct figure_roof *roofs_of(const struct merged *merged, const struct figure_data *data, int *count);

bool roof_is_flop(enum roof_kind kind);

/* "DRAM read", in the words of core/roof.h. */
const char *roof_name(enum roof_kind kind);

#endif
