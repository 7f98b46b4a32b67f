/* chip.h - print which counters a chip has, from CUPTI without a GPU, or from the list of this release (chip_list.h). */
#pragma once

#include <stdio.h>

#include "toolkit/toolkit.h"

/* Print one line: "GB100: all 17 columns of memory, in 4 passes", or the missing columns. `what` names the set of columns. Where CUPTI
 * fails, the list answers, without passes, and a note says why. Returns how many CUPTI metrics are missing that are no column of
 * core/metric.h: a column that the hardware lacks is only printed. -1 with ERROR_ENVIRONMENT. */
int chip_print(struct toolkit *toolkit, const char *chip, const char *what, const char *const *columns,
               int count, struct error *error);
