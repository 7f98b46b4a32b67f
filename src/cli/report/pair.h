/* pair.h - the tables of a textbook pair. */
#ifndef CLI_REPORT_PAIR_H
#define CLI_REPORT_PAIR_H

#include "cli/data/merge.h"
#include "cli/report/document.h"
#include "cli/report/instance.h"

/* Print the tables of one pair, one for each device and each combination of its free axes that the files have
 * points of. How many there were. */
int report_pair(struct document *document, const struct merged *merged, const struct pair *pair);

/* Call `visit` for each of these tables, with `context`. How many there were. */
int report_pair_visit(const struct merged *merged, const struct pair *pair,
                      void (*visit)(const struct instance *, void *), void *context);

#endif
