/* hdf5_chunks.h - the chunks of a table, unpacked here instead of by HDF5, which is one for all threads: it hands out the
 * bytes as they lie in the file, and threads that read different tables unpack them at the same time. What is unpacked
 * stays as the shuffle filter has it, byte 0 of all rows, byte 1 of all rows and so on: who wants a few columns of many
 * picks their bytes. */
#ifndef STORE_HDF5_CHUNKS_H
#define STORE_HDF5_CHUNKS_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

#include "store/hdf5_table.h"

/* Byte b of row i is at bytes[b * stride + i]. */
struct hdf5_planes {
    const unsigned char *bytes;
    size_t stride, first, rows; /* the first of the rows, in the table */
};

/* Whether the set is packed as hdf5_create_rows packs, and its rows of `row_bytes` lie in memory as they do in the file
 * (that is for the caller to know): else it is for HDF5 to read. */
bool hdf5_chunks_are_ours(hid_t set, size_t row_bytes);

/* The rows of such a set's chunks. */
size_t hdf5_chunk_rows(hid_t set);

/* Call `take` for each chunk of the set's `rows` rows, in order. HDF5 is held by the caller (hdf5_hold), and let go of while
 * a chunk is unpacked and taken. 0; what `take` returned, other than 0, and ended it with; -1, with no error set, when a
 * chunk is damaged: *damaged. */
int hdf5_chunks_read(const struct hdf5_source *source, hid_t set, size_t row_bytes, size_t rows,
                     int (*take)(void *of, const struct hdf5_planes *planes), void *of, bool *damaged);

#endif
