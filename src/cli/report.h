/* report.h - the parts of the report. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/report/document.h"
#include "cli/data/merge.h"
#include "cli/report/pairs.h"

/* The tables of one pair, one for each device and each combination of its free axes that the files have
 * points of. How many there were. */
int report_pair(struct document *document, const struct merged *merged, const struct pair *pair);

/* Per family, prediction against measurement. How many disagreements there are; -1: nothing is predicted. */
long report_model(struct document *document, const struct merged *merged);

/* A number of a row, NaN when it is missing. */
double report_value(const struct frame *results, size_t row, const char *column);

/* A text of a row, "" when it is missing. */
const char *report_text(const struct frame *results, size_t row, const char *column);

#endif
