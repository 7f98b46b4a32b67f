/* hdf5_table.h - the parts of a results file that is being read: tables, attributes, checksums. Suspicious: nothing is
 * followed out of the file, and nothing is larger than the file's own size explains. Functions return -1 with
 * source->error set, but where they say otherwise. */
#ifndef STORE_HDF5_TABLE_H
#define STORE_HDF5_TABLE_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "store/hdf5_error.h"
#include "store/store.h"

/* An open file. */
struct hdf5_source {
    hid_t file;
    const char *path;
    uint64_t bytes; /* the file's size */
    struct hdf5_cause *cause;
    struct error *error;
    struct store_verification *verification; /* NULL: nobody asks for checksums */
};

/* Somebody who looks at each block of rows before it is added to `frame`, which has its columns by then. -1 ends the
 * reading, with an error. `wants`: rows are not added, and only the columns that it wants are looked at; HDF5 is held by
 * the caller, and let go of now and then. */
struct row_reader {
    int (*see)(void *of, const struct frame *frame, const union cell *cell, size_t rows);
    void *of;
    bool (*wants)(const char *column);
};

/* Fails: "cannot read /NAME: WHAT". */
int hdf5_bad_table(const struct hdf5_source *source, const char *name, const char *what);

/* Fails: the parts of the file do not fit together, `why`. */
int hdf5_misfit(const struct hdf5_source *source, const char *why);

/* Open dataset `name`: *set is -1 when it is not there. */
int hdf5_open_set(const struct hdf5_source *source, const char *name, hid_t *set);

/* Read table `name` into `frame`, which has no rows. One that is not there leaves the frame as it is. `reader` may be
 * NULL. */
int hdf5_read_frame(const struct hdf5_source *source, const char *name, struct frame *frame,
                    const struct row_reader *reader);

/* Rows of a one-dimensional dataset, of which each takes `row_bytes` in memory; -1, and no error, when that is more than
 * `ratio` times what it has in the file. */
int64_t hdf5_count_rows(const struct hdf5_source *source, hid_t set, size_t row_bytes, unsigned ratio);

/* Compare what the table `name` says of itself with what was read; `same`: it was read as it lies there. */
void hdf5_verify_table(const struct hdf5_source *source, const char *name, hid_t set, size_t rows, bool same,
                       uint32_t crc);

/* Attributes: false, or NULL, when it is not there or of another kind. The text is the caller's, fit to print. */
bool hdf5_get_integer(hid_t object, const char *name, int64_t *value);
char *hdf5_get_text(hid_t object, const char *name);

/* Bytes of one fixed-length text of an attribute or dataset, or -1 when it is none, or longer than `most`. */
ssize_t hdf5_text_size(hid_t type, hid_t space, size_t most);

#endif
