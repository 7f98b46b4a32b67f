#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "store/dataset/admission.h"
#include "store/dataset/hiding.h"
#include "store/journal/record.h"
#include "store/writer.h"

/* Records are given to the kernel after so many seconds (a kill of the process loses at most these), or
 * pending bytes. */
#define FLUSH_EVERY 0.005
#define FLUSH_BYTES (1 << 16)

/* ---- Questions ---- */

const struct dataset *store_data(const struct store *store)
{
    return &store->data;
}

size_t store_find_row(const struct store *store, uint64_t id)
{
    return row_index_find(&store->data.index, row_key_of(id, 0, -1));
}

/* -1: missing. */
static int64_t integer_of(const union cell *cell, int column)
{
    return column < 0 || cell[column].integer < 0 ? -1 : cell[column].integer;
}

/* The number of a word, of which a text may give details: "missing: reason". */
static int find_word(const char *const *words, const char *text)
{
    size_t length = strcspn(text, ":");
    for (int i = 0; words[i]; i++)
        if (length == strlen(words[i]) && !strncmp(text, words[i], length))
            return i;
    return -1;
}

bool store_find(const struct store *store, uint64_t id, struct store_point *point)
{
    const int *fixed = store->data.columns.fixed;
    size_t row = store_find_row(store, id);
    if (row == ROW_NONE)
        return false;
    const union cell *cell = frame_row(&store->data.results, row);
    int status = find_word(status_words, cell[fixed[FIXED_status]].text);
    int counters = find_word(counters_words, cell[fixed[FIXED_counters_status]].text);
    double processes = cell[store->data.columns.real[REAL_processes]].real;
    bool ok = status == STATUS_OK;
    if (status < 0)
        return false;
    *point =
        (struct store_point){.status = (enum status)status,
                             .run = integer_of(cell, fixed[FIXED_run]),
                             .device = integer_of(cell, fixed[FIXED_device]),
                             .attempts = integer_of(cell, fixed[FIXED_attempts]),
                             .counters = ok && counters > 0 ? (enum counters_state)counters : COUNTERS_NONE,
                             .processes = ok ? (uint32_t)fmin(fmax(processes, 1), UINT32_MAX) : 0};
    return true;
}

bool store_is_counted(const struct store *store, uint64_t id)
{
    size_t row = store_find_row(store, id);
    for (int i = 0; i < store->schema.counters && row != ROW_NONE; i++)
        if (!isnan(frame_cell(&store->data.results, row, store->schema.counter[i])->real))
            return true;
    return false;
}

uint64_t store_written(const struct store *store)
{
    return store->written + store->journal.written;
}

uint32_t store_highest_repeat(const struct store *store)
{
    int64_t highest = 0;
    for (size_t row = 0; row < store->data.index.rows; row++)
        if (store->data.index.key[row].repeat > highest)
            highest = store->data.index.key[row].repeat;
    return (uint32_t)highest;
}

/* ---- Writing ---- */

int store_device(struct store *store, struct device *device)
{
    size_t before = store->data.devices.rows;
    int row = schema_put_device(&store->data, device);
    if ((size_t)row == before)
        record_put_row(&store->journal, RECORD_DEVICE, &store->data, before, before);
    return row;
}

/* The row is new, or has changed. */
static int put_row(struct store *store, size_t row, struct error *error)
{
    double time = clock_now();
    admit_row(&store->data, row);
    if (store->privacy)
        hiding_row(store->privacy, &store->data, row);
    record_put_row(&store->journal, RECORD_RESULT, &store->data, row, ++store->data.mark.sequence);
    if (time - store->flushed < FLUSH_EVERY && store->journal.pending.length < FLUSH_BYTES)
        return 0;
    store->flushed = time;
    return journal_flush(&store->journal, error);
}

static bool is_ok(const struct store *store, size_t row)
{
    return status_is_ok(frame_cell(&store->data.results, row, store->data.columns.fixed[FIXED_status])->text);
}

int store_append(struct store *store, const struct point *point, struct result *result, struct error *error)
{
    struct dataset *data = &store->data;
    struct frame *results = &data->results;
    assert(store->begun && results->rows == data->index.rows);
    size_t row = results->rows;
    frame_add_row(results);
    if (schema_put(&store->schema, data, row, data->mark.run, point, result, error) != 0) {
        results->rows--;
        return -1;
    }
    row = dataset_settle_row(data);
    int failed = put_row(store, row, error);
    if (result->status == STATUS_OK && !is_ok(store, row))
        result_fail(result, STATUS_FAILED, "%s", frame_find_text(results, row, COLUMN(message)));
    return failed;
}

int store_count(struct store *store, uint64_t id, int32_t repeat, int32_t device,
                const struct counted *counted, struct error *error)
{
    size_t row = row_index_find(&store->data.index, row_key_of(id, repeat, device));
    if (row == ROW_NONE || !is_ok(store, row))
        return 0;
    schema_put_counted(&store->schema, &store->data, row, counted);
    return put_row(store, row, error);
}

int store_fail_process(struct store *store, uint64_t id, const char *why, struct error *error)
{
    struct dataset *data = &store->data;
    size_t row = store_find_row(store, id);
    char text[RESULT_MESSAGE_SIZE + 64], clean[sizeof text];
    if (row == ROW_NONE || !is_ok(store, row))
        return 0;
    double *failed = &frame_cell(&data->results, row, data->columns.real[REAL_processes_failed])->real;
    *failed = isnan(*failed) ? 1 : *failed + 1;
    snprintf(text, sizeof text, "a process failed: %s", why);
    clean_text(text, clean, sizeof clean);
    if (*failed == 1)
        admission_say(data, row, clean);
    return put_row(store, row, error);
}

/* Put the samples of a row at the end of all; the next checkpoint leaves out those before. */
static void move_samples_to_end(struct dataset *data, union cell *cell)
{
    int64_t *offset = &cell[data->columns.fixed[FIXED_sample_offset]].integer;
    size_t from = (size_t)*offset, count = (size_t)cell[data->columns.fixed[FIXED_sample_count]].integer;
    if (!count || from + count == data->sample_count)
        return;
    dataset_reserve_samples(data, count);
    *offset = (int64_t)data->sample_count;
    memcpy(data->samples + data->sample_count, data->samples + from, count * sizeof *data->samples);
    data->sample_count += count;
}

/* Samples of different code, launches or protocols have no hash in common. */
static void join_hashes(struct dataset *data, size_t row, const struct result *result)
{
    const struct {
        enum fixed_column column;
        uint64_t hash;
        const char *what;
    } all[] = {{FIXED_code_hash, result->code_hash, "code"},
               {FIXED_launch_hash, result->launch_hash, "launches"},
               {FIXED_protocol_hash, result->protocol_hash, "protocols"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[64], hash[SCHEMA_HASH_SIZE];
        const int column = data->columns.fixed[all[i].column];
        const char *known = frame_cell(&data->results, row, column)->text;
        schema_hash(all[i].hash, hash);
        if (!*known || !strcmp(known, hash))
            continue;
        frame_put_text(&data->results, row, column, "");
        snprintf(text, sizeof text, "its processes ran different %s", all[i].what);
        admission_say(data, row, text);
    }
}

int store_merge(struct store *store, struct result *result, struct error *error)
{
    struct dataset *data = &store->data;
    size_t row = store_find_row(store, result->id);
    struct text why = {0};
    if (row == ROW_NONE || !is_ok(store, row))
        return 0;
    if (result->status == STATUS_OK && !admit_samples(result->samples, result->sample_count, &why))
        result_fail(result, STATUS_FAILED, "impossible result: %s", why.data);
    text_free(&why);
    if (result->status != STATUS_OK) {
        char text[RESULT_MESSAGE_SIZE + 32];
        snprintf(text, sizeof text, "%s: %s", status_words[result->status], result->message);
        return store_fail_process(store, result->id, text, error);
    }
    union cell *cell = frame_row(&data->results, row);
    move_samples_to_end(data, cell);
    schema_put_samples(data, result);
    join_hashes(data, row, result);
    cell[data->columns.fixed[FIXED_sample_count]].integer += result->sample_count;
    store->replicated = true;
    return put_row(store, row, error);
}

void store_clear_phases(struct store *store)
{
    store->data.timeline.rows = store->begun_timeline;
}

void store_phase(struct store *store, const struct phase_row *of)
{
    struct phase_row own = *of;
    own.run = store->data.mark.run;
    dataset_add_phase(&store->data, &own);
}
