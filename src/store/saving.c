#include "store/open_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "store/contents.h"

/* Seconds after which things are done. */
#define SYNC_EVERY       0.4  /* fdatasync: 0.5 s with what the caller's loop adds */
#define CHECKPOINT_EVERY 2.0  /* no sooner, however cheap */
#define CHECKPOINT_SHARE 0.02 /* of the run's time, at most, goes into checkpoints */

int saving_restart_journal(struct store *store, struct error *error)
{
    if (journal_restart(&store->journal, error) != 0)
        return -1;
    record_put_start(&store->journal, &store->data, &store->mark);
    return journal_sync(&store->journal, error);
}

int saving_continue_journal(struct store *store, struct error *error)
{
    struct mark file = store->mark;
    file.sequence = store->mark.in_file;
    if (journal_cut(&store->journal, store->mark.journal_whole, error) != 0)
        return -1;
    record_put_start(&store->journal, &store->data, &file);
    return journal_sync(&store->journal, error);
}

bool saving_binds(const struct store *store, size_t row)
{
    return fetching_lacks(store, row) || (store->checkpoint && row < checkpoint_rows(store->checkpoint));
}

size_t saving_changeable(struct store *store, size_t row)
{
    if (!saving_binds(store, row))
        return row;
    struct frame *results = &store->data.results;
    size_t copy = results->rows;
    frame_add_row(results);
    memcpy(frame_row(results, copy), frame_row(results, row), (size_t)results->columns * sizeof(union cell));
    versions_add(&store->late.versions, &store->index, copy, row, store->index.facts[row]);
    return copy;
}

static int start_checkpoint(struct store *store, struct error *error)
{
    if (store->checkpoint_sequence == store->mark.sequence)
        return 0;
    store->started = clock_now();
    store->checkpoint_steps++;
    store->checkpoint = checkpoint_start(store->path, &store->data, &store->mark, &store->journal, error);
    store->started_sequence = store->mark.sequence;
    return store->checkpoint ? 0 : -1;
}

/* Take over what the thread has done. */
static int end_checkpoint(struct store *store, struct error *error)
{
    size_t rows = checkpoint_rows(store->checkpoint);
    int failed = checkpoint_end(store->checkpoint, &store->journal, error);
    store->checkpoint = NULL;
    store->checkpoint_steps++;
    versions_settle(&store->late.versions, &store->index, &store->data.results, rows);
    contents_rest(&store->data);
    if (failed)
        return -1;
    store->checkpoint_sequence = store->started_sequence;
    store->checkpointed = store->flushed = store->synced = clock_now();
    store->checkpoint_cost = store->checkpointed - store->started;
    return 0;
}

int saving_await(struct store *store, struct error *error)
{
    if (!store->checkpoint)
        return 0;
    while (!checkpoint_is_done(store->checkpoint))
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    return end_checkpoint(store, error);
}

int store_checkpoint(struct store *store, struct error *error)
{
    if (saving_await(store, error) != 0)
        return -1;
    /* If the file cannot be written, every row is safe in the journal; and if that has no room, they may
     * still find it in the file. */
    journal_sync(&store->journal, error);
    if (store->checkpoint_sequence != store->mark.sequence && fetching_await(store, error) != 0)
        return -1;
    if (start_checkpoint(store, error) != 0)
        return -1;
    return saving_await(store, error);
}

/* Somebody has removed the journal: a kill now would take the rows that only it had. They are in memory, too. */
static int replace_journal(struct store *store, struct error *error)
{
    char *path = memory_text(store->journal.path);
    fprintf(stderr, "warpsweep: note: %s was removed while the run writes it: it is made anew\n", path);
    struct error ignored;
    saving_await(store, &ignored); /* it may have put another journal there; all is written again anyway */
    journal_close(&store->journal, false);
    unlink(path);
    int failed = journal_open(&store->journal, path, true, store->mode, error);
    free(path);
    if (failed)
        return -1;
    store->checkpoint_sequence = UINT64_MAX; /* whatever FILE.h5 holds */
    return store_checkpoint(store, error);
}

unsigned store_checkpoint_steps(const struct store *store)
{
    return store->checkpoint_steps;
}

/* Spans go to the journal together. */
static void record_spans(struct store *store)
{
    if (store->spans_recorded == store->data.span_count)
        return;
    record_put_spans(&store->journal, &store->data, store->spans_recorded);
    store->spans_recorded = store->data.span_count;
}

int store_tick(struct store *store, struct error *error)
{
    double time = clock_now();
    record_spans(store);
    double wait = store->checkpoint_cost / CHECKPOINT_SHARE;
    if (store->checkpoint && checkpoint_is_done(store->checkpoint))
        return end_checkpoint(store, error);
    if (fetching_has_ended(store) && fetching_await(store, error) != 0)
        return -1;
    bool still = store->data.results.spill && store->data.spill &&
                 store->data.span_spill; /* rows never move: a thread may read them */
    if (!store->checkpoint && !store->unread &&
        time - store->checkpointed >= (wait > CHECKPOINT_EVERY ? wait : CHECKPOINT_EVERY) &&
        (still ? start_checkpoint(store, error) : store_checkpoint(store, error)) != 0)
        return -1;
    if (time - store->synced >= SYNC_EVERY) {
        store->synced = time;
        if (!journal_is_there(&store->journal))
            return replace_journal(store, error);
        contents_rest(&store->data);
        return journal_sync(&store->journal, error);
    }
    return journal_flush(&store->journal, error);
}
