/* checkpoint.h - a new FILE.h5, and a new journal behind it, written by a thread while the run goes on.
 *
 * The thread reads a dataset as it was when it began: rows and samples never move and are not changed meanwhile (the
 * store puts newer versions of a row behind the others), everything else it has copies of. It is the only one that
 * calls HDF5 until it has ended. The journal goes on being written; what came to it since the beginning goes into the
 * new one as well, which replaces it at the end. */
#ifndef STORE_CHECKPOINT_H
#define STORE_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>

#include "store/journal.h"
#include "store/record.h"
#include "store/store.h"

struct checkpoint; /* opaque */

/* Begin: `journal` has been flushed. NULL with an error when there can be no thread. */
struct checkpoint *checkpoint_start(const char *path, const struct dataset *dataset, const struct mark *mark,
                                    struct journal *journal, struct error *error);

/* The rows that it writes: those of the dataset below this number must not change until it has ended. */
size_t checkpoint_rows(const struct checkpoint *checkpoint);

bool checkpoint_is_done(const struct checkpoint *checkpoint);

/* Wait for the thread's end, put the new journal in the old one's place and release everything. On failure FILE.h5 and
 * the journal are as they were, or FILE.h5 is new and the journal still tells the same. */
int checkpoint_end(struct checkpoint *checkpoint, struct journal *journal, struct error *error);

#endif
