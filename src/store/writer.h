/* writer.h - a results file that is being written, as the files that implement store.h share it. */
#pragma once

#include <sys/types.h>

#include "store/dataset/invariants.h"
#include "store/journal/journal.h"
#include "store/schema.h"
#include "store/store.h"

struct store {
    char *path;
    unsigned mode; /* of the file */
    dev_t device;  /* and `inode`: the file that this run has read or written; 0: none */
    ino_t inode;
    struct dataset data;
    struct mark mark;
    struct row_index index; /* of data.results: as many rows */
    struct index_columns columns;
    struct schema schema;
    struct row_check check; /* of data.results */
    struct journal journal;
    struct checkpoint *checkpoint; /* that is being written; NULL: none */
    struct version {
        size_t row, of;
    } * version; /* row `row` will replace row `of`, which the checkpoint reads; by `row`, ascending */
    size_t versions, version_capacity;
    uint64_t counts[STATUS_COUNT];
    double flushed, synced, checkpointed; /* when, in s of clock_now */
    double checkpoint_cost;               /* seconds that the last one took */
    uint64_t checkpoint_sequence;         /* of FILE.h5; UINT64_MAX: it must be written again */
    uint64_t begun_sequence;              /* of the last row before this run */
    size_t spans_recorded;                /* rows of /timeline in the journal */
    unsigned checkpoint_steps;
    bool resumed;           /* the file was read */
    bool begun;             /* store_begin has succeeded */
    bool journal_was_there; /* before this run */
    bool stale;             /* rows have samples that their times do not count yet (row_facts.stale) */
    bool replicated; /* rows have samples of several processes, which are estimated together at the end */
};

/* ---- load.c ---- */

/* As dataset_read_as, with the index ({0}) and mark of what was read. `owner`: this process holds the journal. 1 when there
 * is neither file nor journal. */
int dataset_load(const char *path, const struct dataset_reading *how, bool owner, struct dataset *dataset,
                 struct mark *mark, struct row_index *index, struct error *error);

/* ---- store.c ---- */

/* Add `change` to the count of the row's status. */
void store_count_row(struct store *store, size_t row, int change);

/* ---- checkpoint.c ---- */

/* Wait for a checkpoint that is being written, replace the journal, and let new versions of rows take their places. On
 * failure FILE.h5 and journal are as they were, or FILE.h5 is new and the old journal says the same. */
int checkpoint_await(struct store *store, struct error *error);

/* The row to change when `row` is to change: itself, or a new version with its cells. */
size_t checkpoint_writable(struct store *store, size_t row);
/* The last row, which is not in the index yet, replaces `old`. Returns where it is now. */
size_t checkpoint_replace(struct store *store, size_t old);

/* Note which file is ours under the name. */
void checkpoint_note_file(struct store *store);

/* Start a new journal: FILE.h5 has everything. Or continue the one that an earlier run has left. */
int checkpoint_restart_journal(struct store *store, struct error *error);
int checkpoint_continue_journal(struct store *store, struct error *error);
