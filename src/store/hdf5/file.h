/* file.h - a dataset as an HDF5 file. docs/results-file.md describes its tables. */
#pragma once

#include "base/io.h"
#include "store/dataset/dataset.h"

/* Checksums of the tables that were read. */
enum store_checksum {
    CHECKSUM_RIGHT,
    CHECKSUM_WRONG,
    CHECKSUM_MISSING, /* of all tables: a release before 0.3 wrote the file */
    CHECKSUM_LOST,    /* of this one */
};
enum { STORE_TABLES_MAX = 9 };
struct store_verification {
    struct store_table {
        const char *name;
        size_t rows;
        enum store_checksum checksum;
    } table[STORE_TABLES_MAX];
    int tables, wrong, missing;
};

/* Add the contents of the file to `dataset`, which is new. Every release's
 * files are read, by the names of tables and columns; checksums and the invariants (dataset/invariants.h) are
 * checked. `verification` gets the checksum of every table, and wrong ones are no error; NULL: they are. A
 * damaged /timeline is left out (dataset.lost_timeline). 0; 1 when there is no such file (the dataset stays
 * as it is); -1 when it cannot be read or is not a results file (ERROR_ENVIRONMENT). */
int hdf5_read(const char *path, struct store_verification *verification, struct dataset *dataset,
              struct error *error);

/* Of the library that is loaded. */
void hdf5_version(char *out, size_t size);

/* Replace the file `path`: after a crash, and for every reader, it is the old file or the new one, whole. The
 * new file is built before any of it is written, because HDF5 cannot recover from a full disk: that fails one
 * write, and the old file stays. `mine`, and 1: see io_replace_file. */
int hdf5_write(const char *path, const struct dataset *dataset, struct io_identity *mine,
               struct error *error);
