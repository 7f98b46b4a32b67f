/* pair.h - the tables of a textbook pair, before and after, printed. */
#ifndef REPORT_PAIR_H
#define REPORT_PAIR_H

#include "analysis/pairs.h"
#include "output/document.h"
#include "results/merge.h"

/* Print the tables of one pair (analysis/pair.h). Returns how many there were. */
int report_pair(struct document *document, const struct merged *merged, const struct pair *pair);

#endif
