/* open_store.h - a results file that is being written, as the files that make up store.h see it:
 *
 *   store.c    rows come, and the end
 *   opening.c  the beginning: what is there already is read
 *   fetching.c the rows of the file that it goes on with, when they are needed
 *   saving.c   the journal's and the checkpoints' times
 *   found.c    what is asked about the rows that are there */
#ifndef STORE_OPEN_STORE_H
#define STORE_OPEN_STORE_H

#include "store/checkpoint.h"
#include "store/dataset.h"
#include "store/journal.h"
#include "store/late.h"
#include "store/row_index.h"
#include "store/schema.h"
#include "store/store.h"
#include "store/unread.h"

struct store {
    char *path;
    struct checkpoint *checkpoint; /* that is being written; NULL: none */
    double started;
    uint64_t started_sequence; /* of the last row in it */
    struct dataset data;
    struct unread *unread; /* the file that has the first rows and samples of `data`; NULL: they are there */
    bool fetching;         /* ... and they are on the way */
    struct late
        late; /* what becomes of them then; its versions are those of rows that a checkpoint binds, too */
    struct mark mark;
    struct row_index index;
    struct index_columns columns;
    struct schema schema;
    struct journal journal;
    uint64_t counts[STATUS_COUNT];
    double flushed, synced, checkpointed; /* when, on the monotonic clock */
    double checkpoint_cost;               /* seconds that the last one took */
    uint64_t checkpoint_sequence;         /* last row in FILE.h5 */
    uint64_t begun_sequence;              /* last row before this run */
    size_t spans_recorded;                /* rows of /timeline that were given to the journal */
    unsigned checkpoint_steps;
    bool resumed, begun;    /* the file was read; it has been written */
    bool journal_was_there; /* before us */
    unsigned mode;          /* of the file */
    bool replicated; /* rows have samples of several processes: the file's end estimates them together */
};

/* ---- found.c ---- */

/* What is known of `row` is what its cells say now; `counted`: it is among those that store_counts tells. */
void found_note(struct store *store, size_t row);
void found_count(struct store *store, size_t row, int change);
/* The row of a point, brought in; ROW_NONE when there is none, or it cannot be had. */
size_t found_row(struct store *store, uint64_t id);

/* ---- fetching.c: rows of the file keep their numbers; newer ones of the same key are versions of them meanwhile ---- */

/* Something comes that a new file has to be written for: begin to bring the rows in, once all is checked. */
int fetching_start(struct store *store, struct error *error);
bool fetching_has_ended(const struct store *store);
/* Whether `row` is in the file only, or on the way. */
bool fetching_lacks(const struct store *store, size_t row);
/* Wait for them. What was known of rows' numbers no longer holds. */
int fetching_await(struct store *store, struct error *error);

/* ---- saving.c ---- */

/* Start the journal anew: what FILE.h5 holds need not be in it. */
int saving_restart_journal(struct store *store, struct error *error);
/* Or write on behind what an earlier run has left in it. */
int saving_continue_journal(struct store *store, struct error *error);
/* Whether a checkpoint is made of `row`, or it is on the way: it must not change, newer versions stand behind all others. */
bool saving_binds(const struct store *store, size_t row);
/* The row to change in place of `row`, which has its cells. */
size_t saving_changeable(struct store *store, size_t row);
/* Wait for the checkpoint that is going on, if any. */
int saving_await(struct store *store, struct error *error);

/* ---- opening.c ---- */

void opening_free(struct store *store);
/* The same, and leave everything as it was found: an empty journal that we made would only be in the way of the next
 * run. */
void opening_abandon(struct store *store);

#endif
