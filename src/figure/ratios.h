/* ratios.h - panels with the ratio of each device's rates to those of the first device. */
#ifndef FIGURE_RATIOS_H
#define FIGURE_RATIOS_H

#include "figure/making.h"

/* Add them to a chart. Its panels must be ordered by part, then device. */
void ratios_add(const struct making *making, struct chart *chart);

#endif
