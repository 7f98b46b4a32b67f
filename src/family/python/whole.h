/* whole.h - references that compute whole outputs, for callers that ask for ranges of elements.
 *
 * A reference in Python gets whole inputs and returns whole outputs: floating-point ones as doubles, others in their type. The last
 * few are kept. */
#pragma once

#include "base/error.h"
#include "family/family.h"

/* Fill the outputs of the point from its inputs; address[b] is buffer b's, NULL for scratch. */
typedef int (*whole_compute)(const struct point *point, void *const address[], struct error *error);

/* Copy elements of an output, after computing it if it is not kept. If `compute` fails, nothing is copied. Thread-safe. */
void whole_copy(const struct point *point, const struct inputs *inputs, int buffer, uint64_t first,
                uint64_t count, void *out, whole_compute compute);

/* Why the reference of a point with these data failed; NULL: it has not. */
const char *whole_failure(const struct point *point, const struct setup *setup);

/* NULL, or why this machine cannot hold the arrays of the reference: they need over half of its memory. */
const char *whole_skip(const struct setup *setup, char *reason, size_t size);
