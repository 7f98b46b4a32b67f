#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/thread.h"
#include "store/dataset/summary.h"
#include "store/journal/record.h"
#include "store/writer.h"

/* Seconds after which things are done. */
#define SYNC_EVERY       0.4  /* fdatasync: 0.5 s with what the caller's loop adds */
#define CHECKPOINT_EVERY 2.0  /* at least, however cheap */
#define CHECKPOINT_SHARE 0.02 /* of the run's time, at most */

struct checkpoint {
    pthread_t thread;
    double started;
    char *path;
    struct dataset data; /* shallow, except for what may move: devices and the list of the environment */
    struct mark mark;
    struct successor journal;
    int failed;
    struct error error;
    atomic_bool done;
};

/* ---- Rows that change meanwhile ---- */

static bool is_being_read(const struct store *store, size_t row)
{
    return store->checkpoint && row < store->checkpoint->data.results.rows;
}

static void add_version(struct store *store, size_t row, size_t of)
{
    assert(row == store->index.rows);
    row_index_add(&store->index, store->index.key[of], store->index.facts[of]);
    store->version =
        memory_grow(store->version, store->versions, &store->version_capacity, sizeof *store->version);
    store->version[store->versions++] = (struct version){.row = row, .of = of};
}

size_t checkpoint_writable(struct store *store, size_t row)
{
    struct frame *results = &store->data.results;
    if (!is_being_read(store, row))
        return row;
    size_t copy = results->rows;
    frame_add_row(results);
    frame_copy_row(results, copy, row);
    add_version(store, copy, row);
    return copy;
}

size_t checkpoint_replace(struct store *store, size_t old)
{
    struct frame *results = &store->data.results;
    size_t last = results->rows - 1;
    if (is_being_read(store, old)) {
        add_version(store, last, old);
        return last;
    }
    frame_copy_row(results, old, last);
    results->rows--;
    return old;
}

/* The rows from `first` on are newer than the checkpoint: versions take the place of the rows that they replace, and the
 * others move up. */
static void settle_versions(struct store *store, size_t first)
{
    struct frame *results = &store->data.results;
    struct row_index *index = &store->index;
    size_t kept = first, next = 0;
    for (size_t row = first; row < results->rows; row++) {
        dataset_evict_at(&store->data, row);
        bool is_version = next < store->versions && store->version[next].row == row;
        size_t to = is_version ? store->version[next++].of : kept++;
        assert(is_version ? to < first : to <= row);
        if (to == row)
            continue;
        frame_copy_row(results, to, row);
        index->key[to] = index->key[row];
        index->facts[to] = index->facts[row];
        row_index_choose(index, to);
    }
    results->rows = kept;
    row_index_cut(index, kept);
    store->versions = 0;
}

/* ---- The thread ---- */

static void *work(void *argument)
{
    struct checkpoint *c = argument;
    c->failed = hdf5_write(c->path, &c->data, &c->mark, &c->error) != 0 ||
                journal_follow(&c->journal, &c->error) != 0;
    atomic_store(&c->done, true);
    return NULL;
}

static void release(struct checkpoint *c)
{
    frame_free(&c->data.devices);
    free(c->data.environment);
    free(c->path);
    free(c);
}

void checkpoint_note_file(struct store *store)
{
    struct stat status;
    bool there = stat(store->path, &status) == 0;
    store->device = there ? status.st_dev : 0;
    store->inode = there ? status.st_ino : 0;
}

/* Another file has been moved to this name: it stays, and the run takes another name for file and journal. */
static int leave_other_file(struct store *store, struct error *error)
{
    struct stat now;
    if (!store->inode || stat(store->path, &now) != 0 ||
        (now.st_ino == store->inode && now.st_dev == store->device))
        return 0;
    size_t length = strlen(store->path), end = length > 3 && !strcmp(store->path + length - 3, ".h5") ? 3 : 0;
    struct text path = {0};
    for (int i = 2; !path.length || stat(path.data, &now) == 0; i++) {
        text_free(&path);
        text_add(&path, "%.*s-%d%s", (int)(length - end), store->path, i, store->path + length - end);
    }
    char *journal = store_journal_path(path.data);
    if (rename(store->journal.path, journal) != 0) {
        error_set(error, ERROR_ENVIRONMENT, "%s: %s", journal, strerror(errno));
        free(journal);
        text_free(&path);
        return -1;
    }
    fprintf(stderr, "warpsweep: note: another file was moved to %s while the run writes it: going on in %s\n",
            store->path, path.data);
    free(store->journal.path);
    free(store->path);
    store->journal.path = journal;
    store->path = path.data;
    store->inode = 0;
    return 0;
}

static int start(struct store *store, struct error *error)
{
    const struct dataset *data = &store->data;
    assert(!store->checkpoint && !store->versions);
    if (store->checkpoint_sequence == store->mark.sequence)
        return 0;
    if (leave_other_file(store, error) != 0)
        return -1;
    struct checkpoint *c = memory_new(1, sizeof *c);
    size_t pairs = (size_t)data->environment_count * sizeof *data->environment;
    c->started = clock_now();
    if (store->stale)
        summary_fill_stale(&store->data, &store->index);
    store->stale = false;
    c->path = memory_text(store->path);
    c->data = *data;
    c->data.devices = frame_new();
    frame_append(&c->data.devices, &data->devices);
    c->data.environment = memory_new(1, pairs);
    if (pairs)
        memcpy(c->data.environment, data->environment, pairs);
    c->mark = store->mark;
    store->checkpoint_steps++;
    struct journal head = {.fd = -1};
    journal_put_magic(&head);
    record_put_start(&head, data, &store->mark);
    int failed = journal_succeed(&store->journal, &head.pending, &c->journal, error);
    wire_free(&head.pending);
    if (!failed) {
        int code = thread_start(&c->thread, work, c);
        if (!code) {
            store->checkpoint = c;
            return 0;
        }
        error_set(error, ERROR_ENVIRONMENT, "cannot start a thread: %s", strerror(code));
        journal_forsake(&c->journal);
    }
    release(c);
    return -1;
}

static bool is_done(const struct store *store)
{
    return store->checkpoint && atomic_load(&store->checkpoint->done);
}

static int end(struct store *store, struct error *error)
{
    struct checkpoint *c = store->checkpoint;
    pthread_join(c->thread, NULL);
    int failed = c->failed;
    if (failed) {
        *error = c->error;
        journal_forsake(&c->journal);
    } else {
        failed = journal_become(&store->journal, &c->journal, error);
    }
    store->checkpoint = NULL;
    store->checkpoint_steps++;
    settle_versions(store, c->data.results.rows);
    dataset_evict(&store->data);
    if (!failed) {
        checkpoint_note_file(store);
        store->checkpoint_sequence = c->mark.sequence;
        store->checkpointed = store->flushed = store->synced = clock_now();
        store->checkpoint_cost = store->checkpointed - c->started;
    }
    release(c);
    return failed ? -1 : 0;
}

int checkpoint_await(struct store *store, struct error *error)
{
    return store->checkpoint ? end(store, error) : 0;
}

/* ---- The journal, and when ---- */

int checkpoint_restart_journal(struct store *store, struct error *error)
{
    if (journal_restart(&store->journal, error) != 0)
        return -1;
    record_put_start(&store->journal, &store->data, &store->mark);
    return journal_sync(&store->journal, error);
}

int checkpoint_continue_journal(struct store *store, struct error *error)
{
    struct mark file = store->mark;
    file.sequence = store->mark.in_file;
    if (journal_cut(&store->journal, store->mark.journal_whole, error) != 0)
        return -1;
    record_put_start(&store->journal, &store->data, &file);
    return journal_sync(&store->journal, error);
}

int store_checkpoint(struct store *store, struct error *error)
{
    if (checkpoint_await(store, error) != 0)
        return -1;
    /* If the file cannot be written, every row is in the journal; if the journal has no room, the file may have. */
    journal_sync(&store->journal, error);
    if (start(store, error) != 0)
        return -1;
    return checkpoint_await(store, error);
}

/* The journal was removed: a kill now would lose the rows that only it had. They are in the dataset, too. */
static int replace_journal(struct store *store, struct error *error)
{
    char *path = memory_text(store->journal.path);
    fprintf(stderr, "warpsweep: note: %s was removed while the run writes it: writing a new one\n", path);
    struct error ignored;
    checkpoint_await(store,
                     &ignored); /* it may fail, or replace the journal: everything is written again below */
    journal_close(&store->journal, false);
    unlink(path);
    int failed = journal_open(&store->journal, path, true, store->mode, error);
    free(path);
    if (failed)
        return -1;
    store->checkpoint_sequence = UINT64_MAX; /* whatever FILE.h5 contains */
    return store_checkpoint(store, error);
}

unsigned store_checkpoint_steps(const struct store *store)
{
    return store->checkpoint_steps;
}

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
    if (is_done(store))
        return end(store, error);
    /* Only what is spilled never moves, so that a thread may read it beside the run. */
    bool beside = store->data.results.spill && store->data.spill && store->data.span_spill;
    if (!store->checkpoint && time - store->checkpointed >= fmax(wait, CHECKPOINT_EVERY) &&
        (beside ? start(store, error) : store_checkpoint(store, error)) != 0)
        return -1;
    if (time - store->synced >= SYNC_EVERY) {
        store->synced = time;
        if (!journal_is_there(&store->journal))
            return replace_journal(store, error);
        dataset_evict(&store->data);
        return journal_sync(&store->journal, error);
    }
    return journal_flush(&store->journal, error);
}
