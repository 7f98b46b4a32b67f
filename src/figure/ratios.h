/* ratios.h - panels below: the rates of each device by those of the first. */
#ifndef FIGURE_RATIOS_H
#define FIGURE_RATIOS_H

#include "figure/making.h"

/* Add them to a chart whose panels are those of all devices, in order, one part after the other. */
void ratios_add(const struct making *making, struct chart *chart);

#endif
