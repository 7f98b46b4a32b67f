#include "base/clock.h"
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/memory.h"
#include "store/contents.h"
#include "store/dataset.h"
#include "store/hdf5_write.h"
#include "store/journal.h"
#include "store/schema.h"
#include "store/summary.h"

/* Seconds, and bytes, after which things are done. */
#define FLUSH_EVERY      0.005     /* hand rows to the kernel: at most this much is lost when we are killed */
#define FLUSH_BYTES      (1 << 16) /* ... or when that many are pending */
#define SYNC_EVERY       0.4       /* fdatasync: 0.5 s with what the caller's loop adds */
#define CHECKPOINT_EVERY 2.0       /* no sooner, however cheap */
#define CHECKPOINT_SHARE 0.02      /* of the run's time, at most, goes into checkpoints */

struct store {
    char *path;
    struct dataset data;
    struct mark mark;
    struct row_index index;
    struct schema schema;
    struct journal journal;
    uint64_t counts[STATUS_COUNT];
    double flushed, synced, checkpointed; /* when, on the monotonic clock */
    double checkpoint_cost;               /* seconds that the last one took */
    uint64_t checkpoint_sequence;         /* last row in FILE.h5 */
    bool replicated; /* rows have samples of several processes: the file's end estimates them together */
};

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

static void free_store(struct store *store)
{
    dataset_free(&store->data);
    row_index_free(&store->index);
    schema_free(&store->schema);
    free(store->path);
    free(store);
}

/* ---- Counting rows by status ---- */

static void count_row(struct store *store, size_t row, int64_t change)
{
    const struct frame *results = &store->data.results;
    const union cell *cell = frame_row(results, row);
    if (store->index.key[row].repeat != 0)
        return;
    const char *word = cell[frame_find(results, "status")].text;
    for (int i = 0; i < STATUS_COUNT; i++)
        if (!strcmp(word, status_words[i]))
            store->counts[i] += (uint64_t)change;
}

void store_counts(const struct store *store, uint64_t counts[STATUS_COUNT])
{
    memcpy(counts, store->counts, sizeof store->counts);
}

bool store_find(const struct store *store, uint64_t id, enum status *status)
{
    size_t row = row_index_find(&store->index, row_key_of(id, 0, -1));
    if (row == ROW_NONE)
        return false;
    const struct frame *results = &store->data.results;
    const char *word = frame_row(results, row)[frame_find(results, "status")].text;
    for (int i = 0; i < STATUS_COUNT; i++) {
        if (!strcmp(word, status_words[i])) {
            *status = (enum status)i;
            return true;
        }
    }
    return false; /* a newer release's status: measure the point again */
}

int store_attempts(const struct store *store, uint64_t id)
{
    const struct frame *results = &store->data.results;
    size_t row = row_index_find(&store->index, row_key_of(id, 0, -1));
    int64_t attempts =
        row == ROW_NONE ? 0 : frame_row(results, row)[store->schema.fixed[FIXED_attempts]].integer;
    return attempts > 0 && attempts < INT32_MAX ? (int)attempts : 0;
}

void store_describe(const struct store *store, uint64_t id, char *text, size_t size)
{
    const struct frame *results = &store->data.results, *devices = &store->data.devices;
    size_t row = row_index_find(&store->index, row_key_of(id, 0, -1));
    text[0] = '\0';
    if (row == ROW_NONE)
        return;
    int64_t device = frame_row(results, row)[store->schema.fixed[FIXED_device]].integer;
    bool known = device >= 0 && (size_t)device < devices->rows;
    snprintf(text, size, "%s on device %lld of %s: %s", frame_find_text(results, row, "status"),
             known ? (long long)device : -1, known ? frame_find_text(devices, (size_t)device, "host") : "?",
             frame_find_text(results, row, "message"));
}

uint32_t store_processes(const struct store *store, uint64_t id, char *uuid, size_t size)
{
    enum status status;
    if (!store_find(store, id, &status) || status != STATUS_OK)
        return 0;
    const struct frame *results = &store->data.results, *devices = &store->data.devices;
    size_t row = row_index_find(&store->index, row_key_of(id, 0, -1));
    double processes = frame_find_real(results, row, "processes");
    int64_t device = frame_row(results, row)[frame_find(results, "device")].integer;
    *uuid = '\0';
    if (device >= 0 && (size_t)device < devices->rows)
        snprintf(uuid, size, "%s", frame_find_text(devices, (size_t)device, "uuid"));
    return processes >= 1 ? (uint32_t)processes : 1;
}

uint32_t store_next_process(const struct store *store)
{
    uint32_t next = 0;
    for (size_t i = 0; i < store->data.sample_count; i++)
        if (store->data.samples[i].process >= next)
            next = store->data.samples[i].process + 1;
    return next;
}

/* ---- Checkpoints ---- */

/* Start the journal anew: what FILE.h5 holds need not be in it. */
static int restart_journal(struct store *store, struct error *error)
{
    if (journal_restart(&store->journal, error) != 0)
        return -1;
    record_put_head(&store->journal, &store->data, &store->mark);
    record_put_columns(&store->journal, &store->data.results);
    return journal_sync(&store->journal, error);
}

int store_checkpoint(struct store *store, struct error *error)
{
    if (store->checkpoint_sequence == store->mark.sequence)
        return 0;
    double start = clock_now();
    /* If the file cannot be written, every row is safe in the journal; and if that has no room, they may
     * still find it in the file. */
    journal_sync(&store->journal, error);
    contents_pack_samples(&store->data);
    if (hdf5_write(store->path, &store->data, &store->mark, error) != 0 || restart_journal(store, error) != 0)
        return -1;
    store->checkpoint_sequence = store->mark.sequence;
    store->checkpointed = store->flushed = store->synced = clock_now();
    store->checkpoint_cost = store->checkpointed - start;
    return 0;
}

int store_tick(struct store *store, struct error *error)
{
    double time = clock_now();
    double wait = store->checkpoint_cost / CHECKPOINT_SHARE;
    if (time - store->checkpointed >= (wait > CHECKPOINT_EVERY ? wait : CHECKPOINT_EVERY))
        return store_checkpoint(store, error);
    if (time - store->synced >= SYNC_EVERY) {
        store->synced = time;
        return journal_sync(&store->journal, error);
    }
    return journal_flush(&store->journal, error);
}

/* ---- Opening ---- */

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

/* Bring memory, FILE.h5 and journal to the state from which the run goes on. */
static int begin(struct store *store, bool resume, const struct store_head *head, struct error *error)
{
    if (store->journal.locked)
        remove_leftovers(store->path);
    int loaded = 1;
    if (resume)
        loaded = dataset_load(store->path, &store->data, &store->mark, &store->index, error);
    else
        store->data = contents_new();
    if (loaded < 0)
        return -1;
    for (size_t row = 0; row < store->data.results.rows; row++)
        count_row(store, row, 1);
    set_head(store, head);
    if (schema_make(&store->schema, &store->data, head, error) != 0)
        return -1;
    double start = clock_now();
    if (hdf5_write(store->path, &store->data, &store->mark, error) != 0 || restart_journal(store, error) != 0)
        return -1;
    io_sync_folder(store->journal.path);
    store->checkpoint_sequence = store->mark.sequence;
    store->checkpointed = store->flushed = store->synced = clock_now();
    store->checkpoint_cost = store->checkpointed - start;
    return 0;
}

int store_open(const char *path, bool resume, const struct store_head *head, struct store **store,
               struct error *error)
{
    *store = NULL;
    char *journal_path = dataset_journal_path(path);
    struct stat status;
    bool journal_was_there = stat(journal_path, &status) == 0;
    struct store *new = memory_new(1, sizeof *new);
    new->path = memory_text(path);
    new->journal.fd = -1;
    int failed = !resume && refuse_existing(path, journal_path, error);
    if (!failed)
        failed = journal_open(&new->journal, journal_path, !resume, error);
    if (!failed)
        failed = begin(new, resume, head, error);
    if (failed) {
        /* An empty journal that we made would only be in the way of the next run. */
        journal_close(&new->journal, !journal_was_there);
        free_store(new);
    } else {
        *store = new;
    }
    free(journal_path);
    return failed ? -1 : 0;
}

/* ---- Rows ---- */

int store_device(struct store *store, const struct device *device)
{
    size_t before = store->data.devices.rows;
    int row = schema_put_device(&store->data, device);
    if ((size_t)row == before)
        record_put_device(&store->journal, &store->data.devices, before);
    return row;
}

static int flush_now_and_then(struct store *store, struct error *error)
{
    double time = clock_now();
    if (time - store->flushed < FLUSH_EVERY && store->journal.pending.length < FLUSH_BYTES)
        return 0;
    store->flushed = time;
    return journal_flush(&store->journal, error);
}

int store_append(struct store *store, const struct point *point, const struct result *result,
                 struct error *error)
{
    struct frame *results = &store->data.results;
    size_t row = results->rows;
    frame_add_row(results);
    if (schema_put(&store->schema, &store->data, row, store->mark.run, point, result, error) != 0) {
        results->rows--;
        return -1;
    }
    struct row_key key = row_key_of(result->id, result->repeat, result->device);
    size_t there = row_index_find(&store->index, key);
    if (there == ROW_NONE) {
        row_index_add(&store->index, key);
    } else {
        count_row(store, there, -1);
        memcpy(frame_row(results, there), frame_row(results, row),
               (size_t)results->columns * sizeof(union cell));
        results->rows--;
        row = there;
    }
    count_row(store, row, 1);
    record_put_row(&store->journal, &store->data, row, ++store->mark.sequence);
    return flush_now_and_then(store, error);
}

int store_count(struct store *store, uint64_t id, int32_t repeat, int32_t device,
                const struct counted *counted, struct error *error)
{
    int changed[SCHEMA_CHANGES_MOST];
    struct row_key key = row_key_of(id, repeat, device);
    size_t row = row_index_find(&store->index, key);
    if (row == ROW_NONE)
        return 0;
    int count = schema_put_counted(&store->schema, &store->data, row, counted, changed);
    record_put_amendment(&store->journal, &store->data.results, row, key, changed, count,
                         ++store->mark.sequence);
    return flush_now_and_then(store, error);
}

enum counters_state store_counters(const struct store *store, uint64_t id, double *l2_dirty)
{
    enum status status;
    *l2_dirty = NAN;
    if (!store_find(store, id, &status) || status != STATUS_OK)
        return COUNTERS_NONE;
    const struct frame *results = &store->data.results;
    size_t row = row_index_find(&store->index, row_key_of(id, 0, -1));
    const char *text = frame_find_text(results, row, "counters_status");
    *l2_dirty = frame_find_real(results, row, "l2_dirty");
    size_t length = strcspn(text, ":");
    for (int i = 0; i < COUNTERS_STATE_COUNT; i++)
        if (length == strlen(counters_words[i]) && !strncmp(text, counters_words[i], length))
            return (enum counters_state)i;
    return COUNTERS_NONE;
}

bool store_merge(struct store *store, const struct result *result, struct error *error)
{
    struct dataset *data = &store->data;
    size_t row = row_index_find(&store->index, row_key_of(result->id, 0, -1));
    if (row == ROW_NONE || !result->sample_count)
        return false;
    union cell *cell = frame_row(&data->results, row);
    union cell *offset = &cell[frame_find(&data->results, "sample_offset")];
    union cell *count = &cell[frame_find(&data->results, "sample_count")];
    if (!count->integer)
        return false;
    /* Together at the end: where they lay is packed away at the next checkpoint. */
    size_t before = (size_t)count->integer, from = (size_t)offset->integer;
    contents_reserve_samples(data, before + result->sample_count);
    offset->integer = (int64_t)data->sample_count;
    memcpy(data->samples + data->sample_count, data->samples + from, before * sizeof *data->samples);
    data->sample_count += before;
    schema_put_samples(data, result);
    count->integer += result->sample_count;
    store->replicated = true;
    summary_fill(data, row, NULL);
    record_put_row(&store->journal, data, row, ++store->mark.sequence);
    journal_flush(&store->journal, error);
    return true;
}

int store_close(struct store *store, struct error *error)
{
    if (store->replicated) {
        summary_fill_all(&store->data);
        store->checkpoint_sequence = UINT64_MAX; /* the rows have changed since, whatever was written */
    }
    int failed = store_checkpoint(store, error);
    journal_close(&store->journal, !failed);
    free_store(store);
    return failed;
}
