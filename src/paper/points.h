/* points.h - the points of a paper as CSV: what its page filters by, and what it offers for download. */
#ifndef PAPER_POINTS_H
#define PAPER_POINTS_H

#include <stdio.h>

#include "paper/source.h"

/* A header and one line per measured point and device, of the first `points` points: id, kernel, all axes, device, status,
 * then raw SI numbers with their names in the results file. What is missing is empty. RFC 4180, but for line ends of one
 * character. */
void points_print_csv(FILE *out, const struct source *source, size_t points);

#endif
