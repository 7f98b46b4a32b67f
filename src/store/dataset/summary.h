/* summary.h - times and intervals of a row over processes and devices, from its samples. */
#ifndef STORE_DATASET_SUMMARY_H
#define STORE_DATASET_SUMMARY_H

#include "statistics/pooling.h"
#include "store/dataset/dataset.h"

/* The samples of a row, in the order in which they were taken; those of a process lie together. */
const struct sample *summary_samples(const struct dataset *dataset, size_t row, size_t *count);

/* The cells (one per process and device) of a row's samples, in their order; returns how many. The caller frees
 * `*cells`. Samples without a device are of the row's device. */
size_t summary_cells(const struct dataset *dataset, size_t row, struct levels_cell **cells);

/* How much processes and devices deviate, estimated from all points of the file. */
struct pooling summary_pooling(const struct dataset *dataset);

/* Compute the row's time columns, and those that depend on them, from its samples. `pooling` NULL: from this row alone.
 * A row without samples stays as it is; a row of one process gets its number of processes only. */
void summary_fill(struct dataset *dataset, size_t row, const struct pooling *pooling);

/* The same for every row, with the pooling of all. */
void summary_fill_all(struct dataset *dataset);

#endif
