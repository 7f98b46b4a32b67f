/* model.h - prediction against measurement. */
#ifndef CLI_REPORT_MODEL_H
#define CLI_REPORT_MODEL_H

#include "cli/data/merge.h"
#include "cli/report/document.h"

/* Print what was compared, kernel by kernel. How many disagreements there are; -1: nothing is predicted. */
long report_model(struct document *document, const struct merged *merged);

#endif
