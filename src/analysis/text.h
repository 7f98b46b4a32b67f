/* text.h - a comparison for people: families, the largest differences, what was assumed; or all points. */
#ifndef ANALYSIS_TEXT_H
#define ANALYSIS_TEXT_H

#include <stdio.h>

#include "analysis/tables.h"

/* The families of each section, what differs most, and what is assumed. */
void text_print_families(FILE *out, const struct comparison *comparison);

/* All points, one a line, and what is assumed. */
void text_print_points(FILE *out, const struct comparison *comparison);

/* What is assumed, one a line, broken at spaces. */
void text_print_assumed(FILE *out, const struct comparison *comparison);

#endif
