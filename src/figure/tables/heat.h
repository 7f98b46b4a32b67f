/* heat.h - speed-ups over two axes: the geometric mean per cell and family. */
#ifndef FIGURE_TABLES_HEAT_H
#define FIGURE_TABLES_HEAT_H

#include "results/merge.h"

/* Make rows of cells from the table `ratios` (figure/tables/tables.h): across, up (positions from 0, in the order of values),
 * across_name, up_name, speedup, points. `axes`: "stride,dtype", the first along x. ERROR_USAGE if an axis is missing. */
int heat_of(const struct frame *ratios, const char *axes, struct frame *cells, struct error *error);

#endif
