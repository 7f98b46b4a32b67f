/* writer.h - a results file that is being written, as the files that implement store.h share it. */
#pragma once

#include "base/io.h"
#include "store/dataset/invariants.h"
#include "store/journal/journal.h"
#include "store/schema.h"
#include "store/store.h"

struct store {
    char *path;
    unsigned mode;           /* of the file */
    struct io_identity file; /* that this run has read or written */
    const struct privacy *privacy;
    struct dataset data;
    struct schema schema;
    struct journal journal;
    uint64_t written;                     /* bytes of checkpoints */
    double flushed, synced, checkpointed; /* when, in s of clock_now */
    double checkpoint_cost;               /* seconds that the last one took */
    uint64_t checkpoint_sequence;         /* of FILE.h5; UINT64_MAX: it must be written again */
    uint64_t begun_sequence;              /* of the last row before this run */
    size_t begun_timeline;                /* of the timeline, before this run */
    bool resumed;                         /* the file was read */
    bool begun;                           /* store_begin has succeeded */
    bool journal_was_there;               /* before this run */
    bool complete;                        /* then there was nothing to write */
    bool noted, settled;                  /* the environment, or times of several processes, have changed */
    bool replicated; /* rows have samples of further processes, which are not in their medians yet */
};

/* load.c: read the file and its journal. 1 when there is neither. */
int dataset_load(const char *path, struct store_verification *verification, struct dataset *dataset,
                 struct error *error);

/* ---- checkpoint.c ---- */

/* Write FILE.h5, and start a new journal. On failure FILE.h5 and journal are as they were, or FILE.h5 is
 * new. */
int checkpoint_write(struct store *store, struct error *error);

/* FILE.h5, whose writing began at `start`, has everything: start a new journal. */
int checkpoint_end(struct store *store, double start, struct error *error);
