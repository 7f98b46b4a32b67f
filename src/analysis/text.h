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

/* Regressions as GitHub's workflow commands, which show beside the commit that brought them:
 * https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 *
 * A line for each of the slowest points that were judged slower: `error` beyond `limit` (NaN: none is), else `warning`;
 * and one that counts those that are not listed, since GitHub shows ten of each. */
void annotate_print(FILE *out, const struct comparison *comparison, double limit);

#endif
