/* model.h - prediction against measurement. */
#ifndef REPORT_MODEL_H
#define REPORT_MODEL_H

#include "output/document.h"
#include "results/merge.h"

/* Print what was compared, kernel by kernel. How many disagreements there are; -1: nothing is predicted. */
long report_model(struct document *document, const struct merged *merged);

#endif
