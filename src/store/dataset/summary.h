/* summary.h - times and intervals of a row over processes and devices, from its samples. */
#pragma once

#include "statistics/pooling.h"
#include "store/dataset/dataset.h"
#include "store/dataset/row_index.h"

/* The cells (one per process and device) of a row's samples, in their order; returns how many. The caller frees
 * `*cells`. Samples without a device are of the row's device. */
size_t summary_cells(const struct dataset *dataset, size_t row, struct levels_cell **cells);

/* The cells of every row, computed by all processors. They are spilled if the samples are. */
struct summary_cells {
    struct levels_cell *cell; /* row by row */
    size_t *first;            /* of each row; one more than there are rows */
    size_t rows;
    struct spill *spill; /* NULL: the cells are in memory */
};
struct summary_cells summary_all_cells(const struct dataset *dataset);
void summary_cells_free(struct summary_cells *cells);
void summary_cells_evict(const struct summary_cells *cells);
/* Those of one row; returns how many. */
size_t summary_row_cells(const struct summary_cells *cells, size_t row, const struct levels_cell **cell);

/* How much processes and devices deviate, estimated from all points of the file. */
struct pooling summary_pooling_of(const struct summary_cells *cells);

/* Compute the time columns, and those that depend on them, from the samples of each row that is stale by its facts, which are read
 * again. A row without samples stays as it is; a row of one process gets its number of processes only; a row whose times would be
 * impossible keeps the ones it had. */
void summary_fill_stale(struct dataset *dataset, struct row_index *index);

/* The same for every row, with the pooling of all. */
void summary_fill_all(struct dataset *dataset);
