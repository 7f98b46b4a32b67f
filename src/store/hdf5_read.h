/* hdf5_read.h - a results file into memory, whatever release wrote it: by the names of tables and columns. */
#ifndef STORE_HDF5_READ_H
#define STORE_HDF5_READ_H

#include "store/hdf5_table.h"
#include "store/record.h"
#include "store/row_index.h"
#include "store/store.h"

/* Add the file's contents to `dataset`, which is new, and its rows to `index` ({0}), and say in `mark` where the file stands. 0; 1 when
 * there is no such file (both stay as they are); -1 when it cannot be read or is no results file
 * (ERROR_ENVIRONMENT). Checksums are compared, into `verification`, when that is not NULL. */
int hdf5_read(const char *path, struct dataset *dataset, struct mark *mark, struct row_index *index,
              struct store_verification *verification, struct error *error);

/* The same in parts, for somebody who keeps the file open. Path, error and cause of `source` are given: from hdf5_open on
 * HDF5's failures go to the cause, until hdf5_unlisten. hdf5_close also after a failure. */
int hdf5_open(struct hdf5_source *source);
void hdf5_close(struct hdf5_source *source);

/* Read all but the cells of /results and /samples, of which `dataset` gets the numbers, in two steps: what samples are
 * checked against, and the rest. Rows are checked, and indexed; samples are not checked. HDF5 is held by the caller, and
 * let go of now and then. */
int hdf5_index_devices(const struct hdf5_source *source, struct dataset *dataset, struct mark *mark);
int hdf5_index_rows(const struct hdf5_source *source, struct dataset *dataset, struct row_index *index);

#endif
