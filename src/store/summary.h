/* summary.h - what the samples of a row say together: its times and intervals over processes and devices. */
#ifndef STORE_SUMMARY_H
#define STORE_SUMMARY_H

#include "statistics/pooling.h"
#include "store/store.h"

/* The cells (one a process and device) of a row's samples, in the order in which they came; returns how many. The
 * caller frees `*cells`. Samples that name no device are of the row's own. */
size_t summary_cells(const struct dataset *dataset, size_t row, struct levels_cell **cells);

/* What all points of the file teach about deviations between processes and devices. */
struct pooling summary_pooling(const struct dataset *dataset);

/* Fill the row's time columns, and what follows from them, from its samples; `pooling` may be NULL: then from this
 * row alone. Rows without samples, and rows of one process where nothing is known of others, stay as they are but
 * for the number of processes. */
void summary_fill(struct dataset *dataset, size_t row, const struct pooling *pooling);

/* The same for every row, with what all of them teach. */
void summary_fill_all(struct dataset *dataset);

#endif
