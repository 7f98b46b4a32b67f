/* table.h - the tables of a results file, and reading them. The file is not trusted: no link is followed out of it, and
 * nothing is larger than the file's own size explains. Unless it says otherwise, a function returns -1 with source->error
 * set. */
#pragma once

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/frame.h"
#include "store/hdf5/file.h"
#include "store/hdf5/rows.h"

/* An open file. */
struct hdf5_source {
    hid_t file;
    const char *path;
    uint64_t bytes; /* size of the file */
    struct hdf5_cause *cause;
    struct error *error;
    const struct dataset_reading *how;
    struct store_verification *found; /* so far */
    struct dataset *dataset;          /* that is read */
};

/* Fails: "cannot read /NAME: WHAT". */
int hdf5_bad_table(const struct hdf5_source *source, const char *name, const char *what);

/* Fails: the file is inconsistent, as source->error says already. */
int hdf5_inconsistent(const struct hdf5_source *source);

/* Open dataset `name`: *set is -1 when it does not exist. */
int hdf5_open_set(const struct hdf5_source *source, const char *name, hid_t *set);

/* Gets the next rows of a table, in a thread that may be another than the caller's; -1, with an error, ends the reading. */
typedef int hdf5_take(void *context, void *rows, size_t count);

/* Read table `name`, if the file has one, as rows of `type`, in blocks of whole chunks: HDF5 unpacks a block while `take` has
 * the one before. `blank`: a row for columns that the file may lack; NULL: it must have all. */
int hdf5_read_table(const struct hdf5_source *source, const char *name, hid_t type, const void *blank,
                    hdf5_take *take, void *context);

/* Read table `name` into `frame`, which has no rows. If the file has no such table, the frame stays as it is. `see`, if
 * any, is called for each block of rows before it is added; it returns -1, with an error, to end the reading. */
int hdf5_read_frame(const struct hdf5_source *source, const char *name, struct frame *frame,
                    int (*see)(void *context, const struct frame *frame, const union cell *cell, size_t rows),
                    void *context);

/* Compare the checksum in the file with `crc`, of the bytes as they are stored. Fails if it is wrong, unless the
 * file is being verified or salvaged. */
int hdf5_verify_table(const struct hdf5_source *source, const char *name, hid_t set, size_t rows,
                      uint32_t crc);

/* After the last table: fails if some have a checksum and another has none, which a program has rewritten. */
int hdf5_verify_all(const struct hdf5_source *source);

/* Attributes: false, or NULL, when there is none of that type. The text is the caller's, and printable. */
bool hdf5_get_integer(hid_t object, const char *name, int64_t *value);
char *hdf5_get_text(hid_t object, const char *name);

/* Bytes of a single fixed-length text, in an attribute or dataset; -1 when it is something else, or longer than `max`. */
ssize_t hdf5_text_size(hid_t type, hid_t space, size_t max);

/* ---- samples.c: /samples, the time of each launch ---- */

/* Check all samples of a file, whose devices have been read, add them to `dataset` and note their processes. */
int hdf5_samples_read(const struct hdf5_source *source, struct dataset *dataset);

/* Write the `count` samples of all rows, in the order of the rows. 0; -1 when HDF5 refuses. */
int hdf5_samples_write(hid_t file, const struct dataset *dataset, size_t count);

/* ---- timeline.c: /timeline, what each rank did when ---- */

enum { HDF5_TIMELINE_COLUMNS = 9 };
extern const struct column hdf5_timeline_column[HDF5_TIMELINE_COLUMNS];

/* Add the spans of a file, whose devices have been read. Files of releases before 0.3 have none. */
int hdf5_timeline_read(const struct hdf5_source *source, struct dataset *dataset);

/* Write all spans; one without an end is written up to now. 0; -1 when HDF5 refuses. */
int hdf5_timeline_write(hid_t file, const struct dataset *dataset);
