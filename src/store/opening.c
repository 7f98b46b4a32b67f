#include "store/open_store.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
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
#include "store/contents.h"
#include "store/hdf5_write.h"

/* A number that no other file has. */
static uint64_t new_lineage(void)
{
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number) {
        struct timespec time;
        clock_gettime(CLOCK_REALTIME, &time);
        number = hash_mix((uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec) ^ (uint64_t)getpid();
    }
    return number ? number : 1;
}

void opening_free(struct store *store)
{
    unread_free(store->unread);
    dataset_free(&store->data);
    row_index_free(&store->index);
    schema_free(&store->schema);
    late_free(&store->late);
    free(store->path);
    free(store);
}

void opening_abandon(struct store *store)
{
    journal_close(&store->journal, !store->journal_was_there);
    opening_free(store);
}

/* Remove what killed writers left beside the file. Only under the lock: else it may be a living one's. */
static void remove_leftovers(const char *path)
{
    char *folder_copy = memory_text(path), *name_copy = memory_text(path);
    const char *folder = dirname(folder_copy), *name = basename(name_copy);
    size_t length = strlen(name);
    DIR *entries = opendir(folder);
    for (struct dirent *entry = entries ? readdir(entries) : NULL; entry; entry = readdir(entries))
        if (!strncmp(entry->d_name, name, length) && !strncmp(entry->d_name + length, ".tmp-", 5))
            unlinkat(dirfd(entries), entry->d_name, 0);
    if (entries)
        closedir(entries);
    free(folder_copy);
    free(name_copy);
}

/* This run's environment before that of earlier ones. */
static void add_environment(struct dataset *data, const struct store_head *head, int run)
{
    int count = head->environment_count;
    struct store_pair *all = memory_new((size_t)(count + data->environment_count), sizeof *all);
    for (int i = 0; i < count; i++)
        all[i] = (struct store_pair){.name = memory_text(head->environment[i].name),
                                     .value = memory_text(head->environment[i].value),
                                     .run = run};
    if (data->environment_count)
        memcpy(all + count, data->environment, (size_t)data->environment_count * sizeof *all);
    free(data->environment);
    data->environment = all;
    data->environment_count += count;
}

void store_note(struct store *store, const char *name, const char *value)
{
    const struct store_pair pair = {.name = (char *)name, .value = (char *)value};
    const struct store_head head = {.environment = &pair, .environment_count = 1};
    add_environment(&store->data, &head, store->mark.run);
}

static void set_head(struct store *store, const struct store_head *head)
{
    struct dataset *data = &store->data;
    if (!store->mark.lineage)
        store->mark.lineage = new_lineage();
    store->mark.run++;
    free(data->job);
    free(data->job_path);
    data->job = memory_text(head->job);
    data->job_path = memory_text(head->job_path);
    data->planned = head->planned;
    add_environment(data, head, store->mark.run);
}

/* An earlier run's file or journal is in the way of a run that does not resume. */
static int refuse_existing(const char *path, const char *journal_path, struct error *error)
{
    struct stat status;
    if (stat(path, &status) == 0)
        return error_set(error, ERROR_ENVIRONMENT,
                         "%s exists already: --resume goes on with it, or choose another output file", path);
    if (stat(journal_path, &status) == 0)
        return error_set(error, ERROR_ENVIRONMENT,
                         "%s holds results of an earlier run: --resume goes on with them, or remove it",
                         journal_path);
    return 0;
}

/* A damaged journal is going to be written anew: what could not be read of it is kept. */
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
    int failed = !bytes || io_replace_file(copy.data, bytes, size, error) != 0;
    if (!failed)
        fprintf(stderr,
                "warpsweep: note: %s is damaged in %d place%s (%zu bytes; rows lost: %" PRIu64
                " or more); what is whole counts, the original is kept as %s\n",
                store->journal.path, damage->places, damage->places == 1 ? "" : "s", damage->bytes,
                damage->rows, copy.data);
    free(bytes);
    text_free(&copy);
    return failed ? -1 : 0;
}

/* Files appear by renaming, so other names of this one, say in a folder of snapshots, keep what they have. */
static void note_hard_links(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && status.st_nlink > 1)
        fprintf(
            stderr,
            "warpsweep: note: %s has %lu other name%s (hard links): what this run adds is written under the "
            "name that it was given, the others keep what is there now\n",
            path, (unsigned long)status.st_nlink - 1, status.st_nlink == 2 ? "" : "s");
}

/* Read what is to be gone on with. */
static int load(struct store *store, struct error *error)
{
    if (store->journal.locked)
        remove_leftovers(store->path);
    if (!store->resumed) {
        store->data = contents_new(true);
        return 0;
    }
    note_hard_links(store->path);
    if (dataset_load(store->path, &store->data, &store->mark, &store->index, &store->unread, &store->late,
                     error) < 0)
        return -1;
    for (size_t row = 0; row < store->data.results.rows; row++)
        found_count(store, row, 1);
    contents_rest(&store->data);
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
        opening_abandon(new);
    else
        *store = new;
    return failed ? -1 : 0;
}

/* Whether FILE.h5 and its journal, as they were read, are what this run goes on with: then there is no need to write the
 * file again at once. */
static bool is_as_read(const struct store *store, const struct store_head *head, int columns)
{
    const struct dataset *data = &store->data;
    struct stat status;
    return store->resumed && store->mark.lineage && stat(store->path, &status) == 0 &&
           !data->journal_damage.places && data->results.columns == columns &&
           !strcmp(data->job, head->job) && data->planned == head->planned;
}

/* Whether this run's columns are not those of the file. */
static bool changes_columns(const struct store *store, const struct store_head *head)
{
    struct schema schema;
    struct error ignored; /* it is found again */
    struct frame there = store->data.results;
    struct dataset trial = {.results = frame_new(), .devices = frame_new()};
    there.rows = 0;
    frame_append(&trial.results, &there);
    bool changes =
        schema_make(&schema, &trial, head, &ignored) == 0 && trial.results.columns != there.columns;
    for (int i = 0; i < there.columns; i++)
        changes = changes || trial.results.column[i].type != there.column[i].type;
    schema_free(&schema);
    frame_free(&trial.results);
    frame_free(&trial.devices);
    return changes;
}

int store_begin(struct store *store, const struct store_head *head, struct error *error)
{
    int columns = store->data.results.columns;
    if (store->unread && (changes_columns(store, head) || !is_as_read(store, head, columns)) &&
        fetching_await(store, error) != 0)
        return -1;
    if (schema_make(&store->schema, &store->data, head, error) != 0)
        return -1;
    store->columns = index_columns_of(&store->data.results);
    bool as_read = is_as_read(store, head, columns), kept = as_read && store->mark.journal_whole;
    set_head(store, head);
    double start = clock_now();
    if (!as_read && hdf5_write(store->path, &store->data, &store->mark, error) != 0)
        return -1;
    if ((kept ? saving_continue_journal(store, error) : saving_restart_journal(store, error)) != 0)
        return -1;
    if (io_sync_folder(store->journal.path) != 0)
        return error_set(error, ERROR_ENVIRONMENT, "%s: %s", store->journal.path, strerror(errno));
    contents_rest(&store->data);
    store->begun = true;
    store->begun_sequence = store->mark.sequence;
    store->checkpoint_sequence = kept ? store->mark.in_file : store->mark.sequence;
    store->spans_recorded = store->data.span_count;
    store->checkpointed = store->flushed = store->synced = clock_now();
    store->checkpoint_cost = store->checkpointed - start;
    return 0;
}

int store_open(const char *path, bool resume, const struct store_head *head, struct store **store,
               struct error *error)
{
    if (store_load(path, resume, store, error) != 0)
        return -1;
    if (store_await_check(*store, error) == 0 && store_begin(*store, head, error) == 0)
        return 0;
    opening_abandon(*store);
    *store = NULL;
    return -1;
}

int store_save(const char *path, const struct dataset *dataset, int runs, struct error *error)
{
    char *journal_path = store_journal_path(path);
    const struct mark mark = {.lineage = new_lineage(), .run = runs};
    struct journal journal = {.fd = -1};
    struct stat status;
    int failed = 0;
    if (stat(path, &status) == 0 || stat(journal_path, &status) == 0)
        failed = error_set(error, ERROR_ENVIRONMENT, "%s exists already: choose another output file", path);
    if (!failed) { /* the journal is the lock */
        failed = journal_open(&journal, journal_path, true, 0666, error) ||
                 hdf5_write(path, dataset, &mark, error);
        journal_close(&journal, true);
    }
    free(journal_path);
    return failed ? -1 : 0;
}
