/* hdf5_results.h - /results of a file that is being read: rows are checked and indexed as they come. */
#ifndef STORE_HDF5_RESULTS_H
#define STORE_HDF5_RESULTS_H

#include "store/hdf5_table.h"
#include "store/row_index.h"

/* Read all rows, whose devices and samples are known, add them to `dataset` and `index`. */
int hdf5_results_read(const struct hdf5_source *source, struct dataset *dataset, struct row_index *index);

/* The same without the rows: dataset->results gets its columns only. They are read later. */
int hdf5_results_index(const struct hdf5_source *source, struct dataset *dataset, struct row_index *index);

/* Those rows: the dataset has `columns` (as many, in a list of its own), no rows, and room for `rows` of them. Other ones
 * than were indexed are an error. */
int hdf5_results_add(const struct hdf5_source *source, struct dataset *dataset, const struct column *columns,
                     size_t rows);

#endif
