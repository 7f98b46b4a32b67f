/* heat.h - speed-ups over two axes: the geometric mean of the points of each cell, for each family. */
#ifndef FIGURE_TABLES_HEAT_H
#define FIGURE_TABLES_HEAT_H

#include "results/merge.h"

/* From rows of speed-ups with the points' axes (the table `ratios` of figure/tables.h) make rows of cells: across, up
 * (places from 0, in the order of the values), across_name, up_name, speedup, points. `axes`: "stride,dtype", the first
 * along x. ERROR_USAGE when there are no two such axes. */
int heat_of(const struct frame *ratios, const char *axes, struct frame *cells, struct error *error);

#endif
