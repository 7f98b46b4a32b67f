/* annotate.h - regressions as GitHub's workflow commands, which show beside the commit that brought them:
 * https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
#ifndef ANALYSIS_ANNOTATE_H
#define ANALYSIS_ANNOTATE_H

#include <stdio.h>

#include "analysis/comparison.h"

/* A line for each of the slowest points that were judged slower: `error` beyond `limit` (NaN: none is), else `warning`;
 * and one that counts those that are not listed, since GitHub shows ten of each. */
void annotate_print(FILE *out, const struct comparison *comparison, double limit);

#endif
