#include "base/clock.h"
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
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
#include "base/text.h"
#include "store/checkpoint.h"
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

/* A row that stands for another one, which a checkpoint is being made of. */
struct version {
    size_t row, of;
};

struct store {
    char *path;
    struct checkpoint *checkpoint; /* that is being written; NULL: none */
    double started;
    uint64_t started_sequence; /* of the last row in it */
    struct version *version;
    size_t versions, version_capacity;
    struct dataset data;
    struct mark mark;
    struct row_index index;
    struct schema schema;
    struct journal journal;
    uint64_t counts[STATUS_COUNT];
    unsigned char *status; /* of each row */
    size_t statuses, status_capacity;
    double flushed, synced, checkpointed; /* when, on the monotonic clock */
    double checkpoint_cost;               /* seconds that the last one took */
    uint64_t checkpoint_sequence;         /* last row in FILE.h5 */
    bool resumed, begun;                  /* the file was read; it has been written */
    bool journal_was_there;               /* before us */
    unsigned mode;                        /* of the file */
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
    free(store->version);
    free(store->status);
    free(store->path);
    free(store);
}

/* An empty journal that we made would only be in the way of the next run. */
static void abandon(struct store *store)
{
    journal_close(&store->journal, !store->journal_was_there);
    free_store(store);
}

/* ---- Counting rows by status ---- */

static int status_of_row(const struct store *store, size_t row)
{
    const struct frame *results = &store->data.results;
    const char *word = frame_row(results, row)[frame_find(results, "status")].text;
    int status = 0;
    while (status < STATUS_COUNT && strcmp(word, status_words[status]) != 0)
        status++;
    return status; /* STATUS_COUNT: a newer release's */
}

/* The status of each row is kept at hand: going through all points asks for nothing else of most. */
static void note_status(struct store *store, size_t row, int status)
{
    while (row >= store->statuses) {
        store->status = memory_grow(store->status, store->statuses, &store->status_capacity, 1);
        store->status[store->statuses++] = STATUS_COUNT;
    }
    store->status[row] = (unsigned char)status;
}

/* A row has come. */
static void count_in(struct store *store, size_t row)
{
    note_status(store, row, status_of_row(store, row));
    if (store->index.key[row].repeat == 0 && store->status[row] < STATUS_COUNT)
        store->counts[store->status[row]]++;
}

/* It goes, or another one takes its place. */
static void count_out(struct store *store, size_t row)
{
    if (store->index.key[row].repeat == 0 && store->status[row] < STATUS_COUNT)
        store->counts[store->status[row]]--;
}

void store_counts(const struct store *store, uint64_t counts[STATUS_COUNT])
{
    memcpy(counts, store->counts, sizeof store->counts);
}

static int64_t integer_of(const struct frame *results, const union cell *cell, const char *name)
{
    int column = frame_find(results, name);
    bool there = column >= 0 && results->column[column].type == COLUMN_INTEGER;
    return there && cell[column].integer != FRAME_NO_INTEGER ? cell[column].integer : -1;
}

bool store_find(const struct store *store, uint64_t id, enum status *status)
{
    size_t row = row_index_find(&store->index, row_key_of(id, 0, -1));
    if (row == ROW_NONE || store->status[row] == STATUS_COUNT)
        return false; /* a newer release's status: measure the point again */
    *status = (enum status)store->status[row];
    return true;
}

size_t store_find_row(const struct store *store, uint64_t id)
{
    size_t row = row_index_find(&store->index, row_key_of(id, 0, -1));
    return row == ROW_NONE ? SIZE_MAX : row;
}

bool store_find_point(const struct store *store, uint64_t id, struct store_point *point)
{
    enum status status;
    if (!store_find(store, id, &status))
        return false;
    const struct frame *results = &store->data.results;
    if (id % (1 << 10) == 0) /* ids are hashes: now and then, when all points are asked for */
        frame_rest(results);
    const union cell *cell = frame_row(results, row_index_find(&store->index, row_key_of(id, 0, -1)));
    *point = (struct store_point){.status = status,
                                  .run = integer_of(results, cell, "run"),
                                  .device = integer_of(results, cell, "device"),
                                  .attempts = integer_of(results, cell, "attempts")};
    for (int i = 0; i < store->schema.counters && !point->counted; i++)
        point->counted = !isnan(cell[store->schema.counter[i]].real);
    return true;
}

uint32_t store_highest_repeat(const struct store *store)
{
    int64_t highest = 0;
    for (size_t row = 0; row < store->index.rows; row++)
        if (store->index.key[row].repeat > highest)
            highest = store->index.key[row].repeat;
    return (uint32_t)highest;
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
    for (size_t i = 0; i < store->data.sample_count; i++) {
        if (i % (1 << 20) == 0)
            contents_rest(&store->data);
        if (store->data.samples[i].process >= next)
            next = store->data.samples[i].process + 1;
    }
    return next;
}

/* ---- Checkpoints ---- */

/* Start the journal anew: what FILE.h5 holds need not be in it. */
static int restart_journal(struct store *store, struct error *error)
{
    if (journal_restart(&store->journal, error) != 0)
        return -1;
    record_put_start(&store->journal, &store->data, &store->mark);
    return journal_sync(&store->journal, error);
}

/* While a checkpoint is written, rows below its number must not change: their newer versions stand behind all others. When
 * it has ended they take the place of the old ones, and the rows behind move up. */
static void settle_versions(struct store *store, size_t first)
{
    struct frame *results = &store->data.results;
    size_t width = (size_t)results->columns * sizeof(union cell), kept = first, next = 0;
    for (size_t row = first; row < results->rows; row++) {
        bool version = next < store->versions && store->version[next].row == row;
        size_t to = version ? store->version[next++].of : kept++;
        if (to == row)
            continue;
        memcpy(frame_row(results, to), frame_row(results, row), width);
        store->index.key[to] = store->index.key[row];
        store->status[to] = store->status[row];
        row_index_move(&store->index, to);
    }
    results->rows = kept;
    row_index_cut(&store->index, kept);
    store->versions = 0;
}

/* Add the newest row's key. An index that grows finds the first row of each key again, where versions are to be found. */
static void index_row(struct store *store, struct row_key key)
{
    size_t slots = store->index.slots;
    row_index_add(&store->index, key);
    for (size_t i = 0; i < store->versions && slots != store->index.slots; i++)
        row_index_move(&store->index, store->version[i].row);
}

static bool is_being_written(const struct store *store, size_t row)
{
    return store->checkpoint && row < checkpoint_rows(store->checkpoint);
}

/* `row`, the newest, stands for the row `of` from now on. */
static void add_version(struct store *store, size_t row, size_t of)
{
    index_row(store, store->index.key[of]);
    row_index_move(&store->index, row);
    store->version =
        memory_grow(store->version, store->versions, &store->version_capacity, sizeof *store->version);
    store->version[store->versions++] = (struct version){.row = row, .of = of};
}

/* The row to change in place of `row`, which has its cells. */
static size_t changeable(struct store *store, size_t row)
{
    if (!is_being_written(store, row))
        return row;
    struct frame *results = &store->data.results;
    size_t copy = results->rows;
    frame_add_row(results);
    memcpy(frame_row(results, copy), frame_row(results, row), (size_t)results->columns * sizeof(union cell));
    add_version(store, copy, row);
    note_status(store, copy, store->status[row]);
    return copy;
}

static int start_checkpoint(struct store *store, struct error *error)
{
    if (store->checkpoint_sequence == store->mark.sequence)
        return 0;
    store->started = clock_now();
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
    settle_versions(store, rows);
    contents_rest(&store->data);
    if (failed)
        return -1;
    store->checkpoint_sequence = store->started_sequence;
    store->checkpointed = store->flushed = store->synced = clock_now();
    store->checkpoint_cost = store->checkpointed - store->started;
    return 0;
}

/* Wait for the one that is going on, if any. */
static int await_checkpoint(struct store *store, struct error *error)
{
    if (!store->checkpoint)
        return 0;
    while (!checkpoint_is_done(store->checkpoint))
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    return end_checkpoint(store, error);
}

int store_checkpoint(struct store *store, struct error *error)
{
    if (await_checkpoint(store, error) != 0)
        return -1;
    /* If the file cannot be written, every row is safe in the journal; and if that has no room, they may
     * still find it in the file. */
    journal_sync(&store->journal, error);
    if (start_checkpoint(store, error) != 0)
        return -1;
    return await_checkpoint(store, error);
}

/* Somebody has removed the journal: a kill now would take the rows that only it had. They are in memory, too. */
static int replace_journal(struct store *store, struct error *error)
{
    char *path = memory_text(store->journal.path);
    fprintf(stderr, "warpsweep: note: %s was removed while the run writes it: it is made anew\n", path);
    struct error ignored;
    await_checkpoint(store,
                     &ignored); /* it may have put another journal there; all is written again anyway */
    journal_close(&store->journal, false);
    unlink(path);
    int failed = journal_open(&store->journal, path, true, store->mode, error);
    free(path);
    if (failed)
        return -1;
    store->checkpoint_sequence = UINT64_MAX; /* whatever FILE.h5 holds */
    return store_checkpoint(store, error);
}

int store_tick(struct store *store, struct error *error)
{
    double time = clock_now();
    double wait = store->checkpoint_cost / CHECKPOINT_SHARE;
    if (store->checkpoint && checkpoint_is_done(store->checkpoint))
        return end_checkpoint(store, error);
    bool still = store->data.results.spill && store->data.spill; /* rows never move: a thread may read them */
    if (!store->checkpoint &&
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

/* Read what is to be gone on with. */
static int load(struct store *store, struct error *error)
{
    if (store->journal.locked)
        remove_leftovers(store->path);
    if (!store->resumed) {
        store->data = contents_new(true);
        return 0;
    }
    if (dataset_load(store->path, &store->data, &store->mark, &store->index, error) < 0)
        return -1;
    for (size_t row = 0; row < store->data.results.rows; row++) {
        if (row % (1 << 14) == 0)
            contents_rest(&store->data);
        count_in(store, row);
    }
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

const struct dataset *store_data(const struct store *store)
{
    return &store->data;
}

/* Whether FILE.h5, as it was read, is what this run goes on with: then there is no need to write it again at once. */
static bool is_as_read(const struct store *store, const struct store_head *head, int columns)
{
    const struct dataset *data = &store->data;
    struct stat status;
    return store->resumed && store->mark.lineage && stat(store->path, &status) == 0 && !data->journal_rows &&
           !data->journal_damage.places && data->results.columns == columns &&
           !strcmp(data->job, head->job) && data->planned == head->planned;
}

int store_begin(struct store *store, const struct store_head *head, struct error *error)
{
    int columns = store->data.results.columns;
    if (schema_make(&store->schema, &store->data, head, error) != 0)
        return -1;
    bool as_read = is_as_read(store, head, columns);
    set_head(store, head);
    double start = clock_now();
    if (!as_read && hdf5_write(store->path, &store->data, &store->mark, error) != 0)
        return -1;
    if (restart_journal(store, error) != 0)
        return -1;
    if (io_sync_folder(store->journal.path) != 0)
        return error_set(error, ERROR_ENVIRONMENT, "%s: %s", store->journal.path, strerror(errno));
    contents_rest(&store->data);
    store->begun = true;
    store->checkpoint_sequence = store->mark.sequence;
    store->checkpointed = store->flushed = store->synced = clock_now();
    store->checkpoint_cost = store->checkpointed - start;
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

/* ---- Rows ---- */

int store_device(struct store *store, struct device *device)
{
    size_t before = store->data.devices.rows;
    int row = schema_put_device(&store->data, device);
    if ((size_t)row == before)
        record_put_device(&store->journal, &store->data.devices, before);
    return row;
}

/* The newest row, which has no key yet, stands for `there` now. Returns where it is. */
static size_t replace_row(struct store *store, size_t there, size_t newest)
{
    struct frame *results = &store->data.results;
    if (is_being_written(store, there)) {
        add_version(store, newest, there);
        return newest;
    }
    memcpy(frame_row(results, there), frame_row(results, newest),
           (size_t)results->columns * sizeof(union cell));
    results->rows--;
    return there;
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
        index_row(store, key);
    } else {
        count_out(store, there);
        row = replace_row(store, there, row);
    }
    count_in(store, row);
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
    row = changeable(store, row);
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
    if (!frame_row(&data->results, row)[frame_find(&data->results, "sample_count")].integer)
        return false;
    row = changeable(store, row);
    union cell *cell = frame_row(&data->results, row);
    union cell *offset = &cell[frame_find(&data->results, "sample_offset")];
    union cell *count = &cell[frame_find(&data->results, "sample_count")];
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
    if (!store->begun) {
        abandon(store);
        return 0;
    }
    await_checkpoint(store, error); /* a failed one is tried again below: there may be room by now */
    if (store->replicated) {
        summary_fill_all(&store->data);
        store->checkpoint_sequence = UINT64_MAX; /* the rows have changed since, whatever was written */
    }
    int failed = store_checkpoint(store, error);
    journal_close(&store->journal, !failed);
    free_store(store);
    return failed;
}
