/* rows.h - what reading and writing share: errors of HDF5, one-dimensional datasets and attributes. */
#pragma once

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Why the first call of HDF5 failed: the innermost entry of its error stack. */
struct hdf5_cause {
    char text[256];
};

/* From now on keep the cause of the first failure in `cause`. Call hdf5_unlisten before `cause` goes out of scope:
 * cleaning up calls HDF5, too, which would overwrite its own stack. */
void hdf5_listen(struct hdf5_cause *cause);
void hdf5_unlisten(void);

/* "path: what (HDF5: cause)". Returns -1. */
int hdf5_fail(struct error *error, const struct hdf5_cause *cause, const char *path, const char *what);

/* ---- Tables ---- */

#define RESULTS_FORMAT         "warpsweep results"
#define RESULTS_FORMAT_VERSION 1       /* raised only when older releases could misread a file */
#define RESULTS_CHECKSUM       "crc32" /* attribute of each table: CRC-32 of its bytes, as zlib computes it */

enum { HDF5_CHUNK_BYTES = 1 << 18 }; /* of a table, before compression */

/* Rows of that many bytes in a chunk; at least 1. */
size_t hdf5_chunk_rows(size_t row_bytes);

/* A text of that many bytes, padded with NULs. The caller closes it. */
hid_t hdf5_text_type(size_t size);

/* 0; -1 when HDF5 refuses. */
int hdf5_put_text_attribute(hid_t object, const char *name, const char *value);
int hdf5_put_integer_attribute(hid_t object, const char *name, int64_t value);

/* Write a table of `rows` rows of `type`, chunked and compressed, with its checksum. `fill` makes the rows, block by
 * block in their order. 0; -1 when HDF5 refuses. */
int hdf5_write_rows(hid_t file, const char *name, hid_t type, size_t rows,
                    void (*fill)(void *context, size_t first, size_t count, void *block), void *context);

/* Read or write rows [first, first + count), as `type` has them in memory. 0; -1 when HDF5 refuses. */
int hdf5_transfer_rows(hid_t set, hid_t type, size_t first, size_t count, void *block, bool writing);
