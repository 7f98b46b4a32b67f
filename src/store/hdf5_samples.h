/* hdf5_samples.h - /samples: the time of each launch. docs/results-file.md describes its columns. */
#ifndef STORE_HDF5_SAMPLES_H
#define STORE_HDF5_SAMPLES_H

#include <stdatomic.h>

#include "store/hdf5_table.h"

/* Write the samples in the order of the rows that name them. 0; -1 when HDF5 refuses. */
int hdf5_samples_write(hid_t file, const struct dataset *dataset);

/* How many a file has, into *count. -1 with an error when its size does not explain so many. */
int hdf5_samples_count(const struct hdf5_source *source, size_t *count);

/* Add all of them to `dataset`, whose devices have been read, check them and note their processes. `stop`, if any, ends the
 * reading when it becomes true: -1, with an error. */
int hdf5_samples_read(const struct hdf5_source *source, struct dataset *dataset, const atomic_bool *stop);

/* The same, but they are not added. HDF5 is held by the caller, and let go of now and then. */
int hdf5_samples_check(const struct hdf5_source *source, struct dataset *dataset, const atomic_bool *stop);

#endif
