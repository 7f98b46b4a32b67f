/* chip.h - what chips offer of the counters that a job or a set names, asked of CUPTI without a GPU. */
#ifndef TOOLKIT_CHIP_H
#define TOOLKIT_CHIP_H

#include <stdio.h>

#include "toolkit/toolkit.h"

/* Print one line: "GB100: all 17 columns of memory, in 4 passes", or how many and which it lacks. `what`
 * names the columns. How many the chip lacks, or -1 with ERROR_ENVIRONMENT. */
int chip_print(struct toolkit *toolkit, const char *chip, const char *what, const char *const *columns,
               int count, struct error *error);

#endif
