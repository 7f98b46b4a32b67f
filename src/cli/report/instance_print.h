/* instance_print.h - one table of a pair, and what has to be said with it. */
#ifndef CLI_REPORT_INSTANCE_PRINT_H
#define CLI_REPORT_INSTANCE_PRINT_H

#include "cli/report/document.h"
#include "cli/report/instance.h"

void instance_print(struct document *document, const struct instance *instance);

#endif
