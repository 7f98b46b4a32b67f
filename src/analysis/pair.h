/* pair.h - the points of a textbook pair, gathered into tables. */
#ifndef ANALYSIS_PAIR_H
#define ANALYSIS_PAIR_H

#include "analysis/instance.h"
#include "analysis/pairs.h"
#include "results/merge.h"

/* Go through the tables of one pair, one for each device and each combination of its free axes that the files have
 * points of. `each` is called with one that is good until it returns. How many there were. */
int pair_each(const struct merged *merged, const struct pair *pair,
              void (*each)(const struct instance *, void *context), void *context);

#endif
