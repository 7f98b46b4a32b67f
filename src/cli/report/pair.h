/* pair.h - the tables of a textbook pair. */
#ifndef CLI_REPORT_PAIR_H
#define CLI_REPORT_PAIR_H

#include "cli/data/merge.h"
#include "cli/report/document.h"
#include "cli/report/instance.h"
#include "cli/report/pairs.h"

/* Print the tables of one pair, one for each device and each combination of its free axes that the files have
 * points of. How many there were. */
int report_pair(struct document *document, const struct merged *merged, const struct pair *pair);

/* Go through the same tables: `each` is called with one that is good until it returns. */
int pair_each(const struct merged *merged, const struct pair *pair,
              void (*each)(const struct instance *, void *context), void *context);

#endif
