/* pairing.h - which row of one file is the same point as which row of another. */
#pragma once

#include <stdint.h>

#include "table/view.h"

#define PAIRING_NONE SIZE_MAX

/* For each row of view `a` its partner in view `b`, as indices into the views; PAIRING_NONE: none. Rows are paired by
 * id. The remaining ones are paired by kernel and by the axes that it has in both files, which finds points of releases whose
 * family had fewer axes. Ambiguous rows stay unpaired. The caller frees. */
size_t *pairing_of(const struct view *a, const struct view *b);

/* A hash of a row's kernel and axes, without those listed in `except` (names with commas between, or NULL). */
uint64_t pairing_hash(const struct dataset *dataset, size_t row, const char *except);
