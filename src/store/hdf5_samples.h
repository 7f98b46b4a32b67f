/* hdf5_samples.h - /samples: the time of each launch. docs/results-file.md describes its columns. */
#ifndef STORE_HDF5_SAMPLES_H
#define STORE_HDF5_SAMPLES_H

#include <stdatomic.h>

#include "store/hdf5_table.h"

/* Write the samples in the order of the rows that name them. 0; -1 when HDF5 refuses. */
int hdf5_samples_write(hid_t file, const struct dataset *dataset);

/* How many a file has, into *count. -1 with an error when its size does not explain so many. */
int hdf5_samples_count(const struct hdf5_source *source, size_t *count);

/* Check all of them against `dataset`, whose devices have been read, and note their processes. `add`: and add them to its
 * samples. `stop`, if any, ends the reading when it becomes true: -1, with an error. */
int hdf5_samples_read(const struct hdf5_source *source, struct dataset *dataset, bool add,
                      const atomic_bool *stop);

#endif
