/* table.h - one table of a results file. A file that is read is not trusted: no link is followed out of it,
 * and nothing is larger than the file's own size explains. Unless it says otherwise, a reading function
 * returns -1 with source->error set, and a writing one when HDF5 refuses. */
#pragma once

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/frame.h"
#include "store/hdf5/file.h"

#define RESULTS_FORMAT         "warpsweep results"
#define RESULTS_FORMAT_VERSION 1       /* raised only when older releases could misread a file */
#define RESULTS_CHECKSUM       "crc32" /* attribute of each table: CRC-32 of its bytes, as zlib computes it */

/* Why the first call of HDF5 failed: the innermost entry of its error stack. */
struct hdf5_cause {
    char text[256];
};

/* From now on keep the cause of the first failure in `cause`. Call hdf5_unlisten before `cause` goes out of
 * scope: cleaning up calls HDF5, too, which would overwrite its own stack. */
void hdf5_listen(struct hdf5_cause *cause);
void hdf5_unlisten(void);

/* "path: what (HDF5: cause)". Returns -1. */
int hdf5_fail(struct error *error, const struct hdf5_cause *cause, const char *path, const char *what);

/* A text of that many bytes, padded with NULs. The caller closes types. */
hid_t hdf5_text_type(size_t size);
/* A row of /samples: struct sample, without what none of these has; NULL: with all of it. */
hid_t hdf5_sample_type(const struct sample *sample, size_t count);

/* ---- Reading ---- */

/* An open file. */
struct hdf5_source {
    hid_t file;
    const char *path;
    uint64_t bytes; /* size of the file */
    struct hdf5_cause *cause;
    struct error *error;
    bool verifying;                   /* wrong checksums are no error */
    struct store_verification *found; /* so far */
    struct dataset *dataset;          /* that is read */
};

/* Fails: "cannot read /NAME: WHAT". */
int hdf5_bad_table(const struct hdf5_source *source, const char *name, const char *what);

/* Fails: the file is inconsistent, as source->error says already. */
int hdf5_inconsistent(const struct hdf5_source *source);

/* Open dataset `name`: *set is -1 when it does not exist. */
int hdf5_open_set(const struct hdf5_source *source, const char *name, hid_t *set);

/* Rows of a table as they are stored. */
struct hdf5_rows {
    hid_t type; /* -1: there is no such table */
    size_t count, size;
    char *bytes;
};

/* Read the rows of table `name`, if the file has one, and verify their checksum. In memory, with `columns` or
 * more cells each, they may take `ratio` times the bytes that they have in the file. hdf5_free_rows releases
 * them, also where there are none. */
int hdf5_read_rows(const struct hdf5_source *source, const char *name, unsigned ratio, int columns,
                   struct hdf5_rows *rows);
void hdf5_free_rows(struct hdf5_rows *rows);

/* Read table `name` into `frame`, which has no rows. Columns that only the frame has are missing. If the file
 * has no such table, the frame stays as it is. */
int hdf5_read_frame(const struct hdf5_source *source, const char *name, struct frame *frame);

/* Compare the checksum in the file with `crc`, of the bytes as they are stored. */
int hdf5_verify_table(const struct hdf5_source *source, const char *name, hid_t set, size_t rows,
                      uint32_t crc);

/* After the last table: fails if some have a checksum and another has none, which a program has rewritten. */
int hdf5_verify_all(const struct hdf5_source *source);

/* Attributes: false, or NULL, when there is none of that type. The text is the caller's, and printable. */
bool hdf5_get_integer(hid_t object, const char *name, int64_t *value);
char *hdf5_get_text(hid_t object, const char *name);

/* Bytes of a single fixed-length text, in an attribute or dataset; -1 when it is something else, or longer
 * than `max`. */
ssize_t hdf5_text_size(hid_t type, hid_t space, size_t max);

/* ---- Writing ---- */

int hdf5_put_text(hid_t object, const char *name, const char *value);
int hdf5_put_integer(hid_t object, const char *name, int64_t value);

/* Write rows of `type` as a table, chunked and compressed, with its checksum. */
int hdf5_write_table(hid_t file, const char *name, hid_t type, size_t rows, const void *bytes);

/* Columns that are left out where no row has a value. NULL: none. */
struct hdf5_left_out {
    bool (*keep)(const struct column *column); /* written all the same */
    int64_t missing;                           /* an integer that is no value */
};
int hdf5_write_frame(hid_t file, const char *name, const struct frame *frame,
                     const struct hdf5_left_out *left_out);
