/* summary.h - times and intervals of a row over processes and devices, from its samples. */
#pragma once

#include "store/dataset/dataset.h"

/* Compute the time columns, and those that depend on them, of each row that has samples of more processes than they count. A row
 * whose times would be impossible keeps the ones it had. */
void summary_fill_new(struct dataset *dataset);

/* The same for every row, with what all points tell of how much processes and devices deviate. A row without samples stays as
 * it is; a row of one process gets its number of processes only. */
void summary_fill_all(struct dataset *dataset);
