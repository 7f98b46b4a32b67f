#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/dataset/dataset.h"
#include "store/dataset/hiding.h"
#include "store/writer.h"

/* A number that no other file has. */
static uint64_t new_lineage(void)
{
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        number = hash_mix((uint64_t)time(NULL)) ^ hash_mix((uint64_t)getpid());
    return number ? number : 1;
}

static void release(struct store *store)
{
    dataset_free(&store->data);
    free(store->schema.space);
    free(store->path);
    free(store);
}

/* Release, and leave all files as they were: an empty journal that this run made would be in the way of the
 * next. */
static void abandon(struct store *store)
{
    journal_close(&store->journal, !store->journal_was_there);
    release(store);
}

void store_note(struct store *store, const char *name, const char *value)
{
    char *hidden = store->privacy ? hiding_pair(store->privacy, name, value) : memory_text(value);
    if (hidden)
        dataset_add_environment(&store->data,
                                &(struct store_pair){(char *)name, hidden, store->data.mark.run}, 1);
    free(hidden);
    store->noted |= store->begun;
}

static void set_head(struct store *store, const struct store_head *head)
{
    struct dataset *data = &store->data;
    if (!store->data.mark.lineage)
        store->data.mark.lineage = new_lineage();
    data->mark.run++;
    data->running = data->writer = data->cut_off = false; /* that is us */
    free(data->job);
    free(data->job_path);
    data->job = memory_text(head->job);
    data->job_path = memory_text(head->job_path);
    data->planned = head->planned;
    for (int i = head->environment_count; i-- > 0;)
        store_note(store, head->environment[i].name, head->environment[i].value);
    if (head->sources)
        dataset_add_sources(data, head->sources);
}

static int refuse_existing(const char *path, const char *journal_path, struct error *error)
{
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return error_set(error, ERROR_USAGE, "%s is not a regular file: choose another output file", path);
    if (stat(path, &status) == 0)
        return error_set(error, ERROR_USAGE,
                         "%s already exists: use --resume to continue it, or choose another output file",
                         path);
    if (stat(journal_path, &status) == 0)
        return error_set(error, ERROR_USAGE,
                         "%s has results of an earlier run: use --resume to continue it, or remove the file",
                         journal_path);
    return 0;
}

/* A damaged journal will be replaced: keep a copy, for what could not be read of it. */
static int keep_damaged(struct store *store, struct error *error)
{
    const struct journal_damage *damage = &store->data.journal_damage;
    struct text copy = {0};
    struct stat status;
    size_t size;
    text_add(&copy, "%s.damaged", store->journal.path);
    for (int i = 2; stat(copy.data, &status) == 0; i++) {
        text_free(&copy);
        text_add(&copy, "%s.damaged-%d", store->journal.path, i);
    }
    char *bytes = io_read_file(store->journal.path, SIZE_MAX, &size, error);
    int failed = !bytes || io_replace_file(copy.data, bytes, size, NULL, error) != 0;
    if (!failed)
        fprintf(stderr,
                "warpsweep: note: %s is damaged in %d place%s (%zu bytes; rows lost: %" PRIu64
                " or more); its whole records are used, the original is kept as %s\n",
                store->journal.path, damage->places, damage->places == 1 ? "" : "s", damage->bytes,
                damage->rows, copy.data);
    free(bytes);
    text_free(&copy);
    return failed ? -1 : 0;
}

/* Read the file that is resumed. */
static int load(struct store *store, struct error *error)
{
    if (store->journal.locked)
        io_remove_leftovers(store->path); /* without the lock, their writer may be alive */
    if (!store->resumed) {
        store->data = dataset_new();
        return 0;
    }
    store->file = io_identify(store->path);
    if (dataset_load(store->path, NULL, &store->data, error) < 0)
        return -1;
    if (store->data.foreign)
        fprintf(stderr,
                "warpsweep: note: this run writes %s anew, without what another program has added: %s\n",
                store->path, store->data.foreign);
    if (store->data.lost_timeline)
        fprintf(stderr, "warpsweep: note: the timeline of earlier runs in %s is left out: %s\n", store->path,
                store->data.lost_timeline);
    return store->data.journal_damage.places ? keep_damaged(store, error) : 0;
}

int store_load(const char *path, bool resume, struct store **store, struct error *error)
{
    *store = NULL;
    char *journal_path = store_journal_path(path);
    struct stat status;
    struct store *new = memory_new(1, sizeof *new);
    new->journal_was_there = stat(journal_path, &status) == 0;
    new->path = io_real_path(path);
    new->mode = stat(path, &status) == 0 ? status.st_mode & 0666 : 0666;
    new->resumed = resume;
    new->journal.fd = -1;
    int failed = !resume && refuse_existing(path, journal_path, error);
    if (!failed)
        failed = journal_open(&new->journal, journal_path, !resume, new->mode, error);
    if (!failed)
        failed = load(new, error);
    free(journal_path);
    if (failed)
        abandon(new);
    else
        *store = new;
    return failed ? -1 : 0;
}

/* FILE.h5 is all that there is, and this run needs no other columns: a run without anything to do leaves it
 * as it is. */
static bool is_complete(const struct store *store, const struct store_head *head, int columns)
{
    const struct dataset *data = &store->data;
    return store->data.mark.lineage && !store->journal_was_there && !data->cut_off &&
           data->results.columns == columns && !strcmp(data->job, head->job) &&
           data->planned == head->planned;
}

int store_begin(struct store *store, const struct store_head *head, struct error *error)
{
    int columns = store->data.results.columns;
    if (schema_make(&store->schema, &store->data, head, error) != 0)
        return -1;
    bool complete = store->complete = is_complete(store, head, columns);
    store->privacy = head->privacy;
    set_head(store, head);
    if (complete ? checkpoint_end(store, clock_now(), error) : checkpoint_write(store, error))
        return -1;
    if (io_sync_folder(store->journal.path) != 0)
        return error_set(error, ERROR_ENVIRONMENT, "%s: %s", store->journal.path, strerror(errno));
    store->begun = true;
    store->begun_sequence = store->data.mark.sequence;
    store->begun_timeline = store->data.timeline.rows;
    return 0;
}

int store_open(const char *path, bool resume, const struct store_head *head, struct store **store,
               struct error *error)
{
    if (store_load(path, resume, store, error) != 0)
        return -1;
    if (store_begin(*store, head, error) == 0)
        return 0;
    abandon(*store);
    *store = NULL;
    return -1;
}

void store_settle(struct store *store)
{
    if (!store->replicated)
        return;
    summary_settle(&store->data);
    store->replicated = false;
    store->settled = true;
}

/* Rows, or what the run notes, have changed. */
static bool has_changed(const struct store *store)
{
    return store->replicated || store->settled || store->noted ||
           store->data.mark.sequence != store->begun_sequence;
}

bool store_is_untouched(const struct store *store)
{
    return store->complete && !has_changed(store);
}

int store_close_keep(struct store *store, struct dataset *kept, struct error *error)
{
    if (!store->begun) {
        abandon(store);
        return 0;
    }
    store_settle(store);
    if (has_changed(store)) /* and the timeline, whatever was written */
        store->checkpoint_sequence = UINT64_MAX;
    int failed = store_checkpoint(store, error);
    journal_close(&store->journal, !failed);
    if (kept && !failed) {
        *kept = store->data;
        store->data = dataset_new();
    }
    release(store);
    return failed;
}

int store_close(struct store *store, struct error *error)
{
    return store_close_keep(store, NULL, error);
}

int store_save(const char *path, struct dataset *dataset, struct error *error)
{
    char *journal_path = store_journal_path(path);
    struct journal journal = {.fd = -1};
    struct stat status;
    struct io_identity none = {0};
    int failed = stat(path, &status) == 0 || stat(journal_path, &status) == 0;
    if (!failed) { /* the journal is the lock */
        dataset->mark = (struct mark){.lineage = new_lineage(), .run = dataset->mark.run};
        dataset_pack_samples(dataset);
        failed = journal_open(&journal, journal_path, true, 0666, error);
        if (!failed)
            failed = hdf5_write(path, dataset, &none, error);
        journal_close(&journal, true);
    }
    if (failed > 0)
        error_set(error, ERROR_USAGE, "%s already exists: choose another output file", path);
    free(journal_path);
    return failed ? -1 : 0;
}
