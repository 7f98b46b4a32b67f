/* nest.h - curves that coincide: each is drawn wider than those over it, so that all are seen. */
#ifndef FIGURE_NEST_H
#define FIGURE_NEST_H

#include "figure/chart.h"

/* Set `wide` of all curves, 1 where nothing lies over one, and `nested`. The ranges of y have to be known. */
void nest_curves(struct chart *chart);

#endif
