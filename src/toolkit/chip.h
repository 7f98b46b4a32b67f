/* chip.h - print which counters a chip has, from CUPTI without a GPU, or from the list of this release (chip_list.h). */
#pragma once

#include "toolkit/toolkit.h"

/* Print one line: "GB100: all 17 columns of memory, in 4 passes", or the missing columns; nothing of a set without columns. Where CUPTI
 * fails, the list answers, without passes, and a note says why. ERROR_ENVIRONMENT. */
int chip_print(struct toolkit *toolkit, const char *chip, const char *set, struct error *error);
