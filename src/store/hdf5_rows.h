/* hdf5_rows.h - one-dimensional HDF5 datasets and attributes, as all tables of a results file have them. */
#ifndef STORE_HDF5_ROWS_H
#define STORE_HDF5_ROWS_H

#include <hdf5.h>
#include <stdint.h>

enum { HDF5_CHUNK_BYTES = 1 << 18 }; /* of a table, before compression */

/* A text of so many bytes, padded with NULs. The caller closes it. */
hid_t hdf5_text_type(size_t size);

/* 0; -1 when HDF5 refuses. */
int hdf5_put_text_attribute(hid_t object, const char *name, const char *value);
int hdf5_put_integer_attribute(hid_t object, const char *name, int64_t value);

/* A dataset of `rows` rows of `type`, chunked and compressed when there is something to compress. The caller closes it;
 * negative when HDF5 refuses. */
hid_t hdf5_create_rows(hid_t file, const char *name, hid_t type, size_t rows, size_t chunk_rows);

/* Rows [first, first + rows), as `type` has them in memory. 0; -1 when HDF5 refuses. */
int hdf5_write_rows(hid_t set, hid_t type, size_t first, size_t rows, const void *data);
int hdf5_read_rows(hid_t set, hid_t type, size_t first, size_t rows, void *data);

#endif
