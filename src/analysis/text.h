/* text.h - a comparison as text: families, the largest differences, assumptions; or all points. */
#pragma once

#include <stdio.h>

#include "analysis/tables.h"

/* The families of each section, the largest differences, and the assumptions. */
void text_print_families(FILE *out, const struct comparison *comparison);

/* All points, one per line, and the assumptions. */
void text_print_points(FILE *out, const struct comparison *comparison);

/* The assumptions, one per line, wrapped at spaces. */
void text_print_assumed(FILE *out, const struct comparison *comparison);

/* Regressions as GitHub's workflow commands, which show beside the commit that brought them:
 * https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 *
 * A line for each of the slowest points that were judged slower: `error` beyond `limit` (NaN: none is), else `warning`;
 * and one that counts those that are not listed, since GitHub shows ten of each. */
void annotate_print(FILE *out, const struct comparison *comparison, double limit);
