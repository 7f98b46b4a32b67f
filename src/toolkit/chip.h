/* chip.h - print which counters a chip has, from CUPTI without a GPU. */
#pragma once

#include <stdio.h>

#include "toolkit/toolkit.h"

/* Print one line: "GB100: all 17 columns of memory, in 4 passes", or the missing columns. `what` names the set of columns.
 * Returns the number of missing columns, or -1 with ERROR_ENVIRONMENT. */
int chip_print(struct toolkit *toolkit, const char *chip, const char *what, const char *const *columns,
               int count, struct error *error);
