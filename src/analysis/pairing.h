/* pairing.h - which row of one file is the same point as which row of another. */
#ifndef ANALYSIS_PAIRING_H
#define ANALYSIS_PAIRING_H

#include <stdint.h>

#include "results/view.h"

#define PAIRING_NONE SIZE_MAX

/* For each row of view `a` its partner among the rows of view `b`, as indices into the views; PAIRING_NONE:
 * none. Rows are paired by id, and what is left by equal kernel and equal values of the axes that both files
 * have, which finds the points of a release whose family had fewer axes. What is ambiguous stays alone. The
 * caller frees. */
size_t *pairing_of(const struct view *a, const struct view *b);

/* A hash of a row's kernel and of its axes but `except` (or NULL), those alone that `other` has as axes, too. */
uint64_t pairing_hash(const struct dataset *dataset, size_t row, const struct dataset *other,
                      const char *except);

#endif
