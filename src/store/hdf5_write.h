/* hdf5_write.h - a dataset as a complete HDF5 file. The layout is described in docs/results-file.md. */
#ifndef STORE_HDF5_WRITE_H
#define STORE_HDF5_WRITE_H

#include "store/record.h"
#include "store/store.h"

#define RESULTS_FORMAT         "warpsweep results"
#define RESULTS_FORMAT_VERSION 1       /* raised only when older releases could misread a file */
#define RESULTS_CHECKSUM       "crc32" /* attribute of each table: CRC-32 of its bytes, as zlib has it */

/* Replace the file `path` by one that holds `dataset`: after a crash, and to a reader, there is the old file
 * or the new one, never a part. The image is built in memory, so that the only thing which can fail on a full
 * disk is one write, and then the old file stays. */
int hdf5_write(const char *path, const struct dataset *dataset, const struct mark *mark, struct error *error);

#endif
