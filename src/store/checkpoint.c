#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/dataset/dataset.h"
#include "store/journal/record.h"
#include "store/writer.h"

/* Seconds after which things are done. */
#define SYNC_EVERY       0.4  /* fdatasync: 0.5 s with what the caller's loop adds */
#define CHECKPOINT_EVERY 2.0  /* at least, however cheap */
#define CHECKPOINT_SHARE 0.02 /* of the run's time, at most */

static bool exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

/* FILE-2.h5, or the first number for which there is neither a file nor a journal: a killed run may have left
 * a journal alone. */
static char *free_name(const char *path, char **journal)
{
    size_t length = strlen(path), end = length > 3 && !strcmp(path + length - 3, ".h5") ? 3 : 0;
    for (int i = 2;; i++) {
        struct text name = {0};
        text_add(&name, "%.*s-%d%s", (int)(length - end), path, i, path + length - end);
        *journal = store_journal_path(name.data);
        if (!exists(name.data) && !exists(*journal))
            return name.data;
        text_free(&name);
        free(*journal);
    }
}

/* Another file has been moved to this name: it stays, and the run takes another name for file and journal. */
static int leave_other_file(struct store *store, struct error *error)
{
    char *journal, *path = free_name(store->path, &journal);
    if (rename(store->journal.path, journal) != 0) {
        error_set(error, ERROR_ENVIRONMENT, "%s: %s", journal, strerror(errno));
        free(journal);
        free(path);
        return -1;
    }
    fprintf(stderr, "warpsweep: note: another file was moved to %s while the run writes it: going on in %s\n",
            store->path, path);
    free(store->journal.path);
    free(store->path);
    store->journal.path = journal;
    store->path = path;
    store->file = (struct io_identity){0};
    return 0;
}

int checkpoint_end(struct store *store, double start, struct error *error)
{
    struct stat status;
    store->written += stat(store->path, &status) == 0 ? (uint64_t)status.st_size : 0;
    store->checkpoint_sequence = store->data.mark.sequence;
    store->checkpointed = store->flushed = clock_now();
    store->checkpoint_cost = store->checkpointed - start;
    store->synced = start; /* what has come meanwhile is synced soon */
    if (journal_restart(&store->journal, error) != 0)
        return -1;
    record_put_start(&store->journal, &store->data);
    return journal_sync(&store->journal, error);
}

int checkpoint_write(struct store *store, struct error *error)
{
    double start = clock_now();
    if (store->replicated)
        summary_fill(&store->data);
    dataset_pack_samples(&store->data);
    int other;
    while ((other = hdf5_write(store->path, &store->data, &store->file, error)) > 0)
        if (leave_other_file(store, error) != 0)
            return -1;
    return other < 0 ? -1 : checkpoint_end(store, start, error);
}

int store_checkpoint(struct store *store, struct error *error)
{
    /* If the file cannot be written, every row is in the journal; if the journal has no room, the file may
     * have. */
    struct error ignored;
    journal_sync(&store->journal, &ignored);
    if (store->checkpoint_sequence == store->data.mark.sequence)
        return 0;
    return checkpoint_write(store, error);
}

/* The journal was removed: a kill now would lose the rows that only it had. They are in the dataset, too. */
static int replace_journal(struct store *store, struct error *error)
{
    char *path = memory_text(store->journal.path);
    fprintf(stderr, "warpsweep: note: %s was removed while the run writes it: writing a new one\n", path);
    journal_close(&store->journal, false);
    unlink(path);
    int failed = journal_open(&store->journal, path, true, store->mode, error);
    free(path);
    if (failed)
        return -1;
    store->checkpoint_sequence = UINT64_MAX; /* whatever FILE.h5 contains */
    return store_checkpoint(store, error);
}

bool store_is_due(const struct store *store)
{
    double wait = fmax(store->checkpoint_cost / CHECKPOINT_SHARE, CHECKPOINT_EVERY);
    return !journal_is_syncing(&store->journal) && store->checkpoint_sequence != store->data.mark.sequence &&
           clock_now() - store->checkpointed >= wait;
}

double store_waits(const struct store *store)
{
    return journal_is_syncing(&store->journal) ? clock_now() - store->synced : 0;
}

int store_tick(struct store *store, struct error *error)
{
    double time = clock_now();
    if (journal_is_syncing(&store->journal))
        return 0;
    if (store_is_due(store))
        return store_checkpoint(store, error);
    if (time - store->synced < SYNC_EVERY)
        return journal_flush(&store->journal, error);
    store->synced = time;
    return journal_is_there(&store->journal) ? journal_start_sync(&store->journal, error)
                                             : replace_journal(store, error);
}
