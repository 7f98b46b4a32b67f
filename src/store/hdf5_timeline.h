/* hdf5_timeline.h - /timeline: what each rank was at. docs/results-file.md describes its columns. */
#ifndef STORE_HDF5_TIMELINE_H
#define STORE_HDF5_TIMELINE_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

#include "store/store.h"

enum { HDF5_TIMELINE_COLUMNS = 9, HDF5_TIMELINE_ROW_BYTES = 112 };
extern const struct column hdf5_timeline_column[HDF5_TIMELINE_COLUMNS];

/* Write all spans of the dataset. One without an end goes on: it is written up to now. 0; -1 when HDF5 refuses. */
int hdf5_timeline_write(hid_t file, const struct dataset *dataset);

/* Read `rows` spans from an open dataset to the end of the dataset's. `*same`: they lie there as this release writes
 * them; `*crc` is then theirs. -1 when they cannot be read, lack a column, or name a phase or lane that is none. */
int hdf5_timeline_read(hid_t set, size_t rows, struct dataset *dataset, bool *same, uint32_t *crc);

#endif
