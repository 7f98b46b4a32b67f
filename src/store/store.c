#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "store/journal/record.h"
#include "store/writer.h"

/* Records are given to the kernel after so many seconds (a kill of the process loses at most these), or pending bytes. */
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
                             .processes = !ok              ? 0
                                          : processes >= 1 ? (uint32_t)fmin(processes, UINT32_MAX)
                                                           : 1};
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
    record_put_row(&store->journal, RECORD_RESULT, &store->data, row, ++store->data.mark.sequence);
    if (time - store->flushed < FLUSH_EVERY && store->journal.pending.length < FLUSH_BYTES)
        return 0;
    store->flushed = time;
    return journal_flush(&store->journal, error);
}

/* A measurement that the file must not contain (a time below zero, a rate without end) is stored as failed, with the reason. */
static void refuse_impossible(struct store *store, size_t row, size_t samples_before)
{
    struct dataset *data = &store->data;
    struct frame *results = &data->results;
    struct error why;
    char message[sizeof why.text + 32];
    if (invariants_samples(data, data->samples + samples_before, samples_before,
                           data->sample_count - samples_before, &why) == 0 &&
        invariants_row(data, frame_row(results, row), row, &why) == 0)
        return;
    snprintf(message, sizeof message, "impossible result: %s", why.text);
    data->sample_count = samples_before;
    for (int i = 0; i < REAL_COUNT; i++)
        frame_put_real(results, row, data->columns.real[i], NAN);
    frame_put_integer(results, row, data->columns.fixed[FIXED_sample_count], 0);
    frame_put_text(results, row, data->columns.fixed[FIXED_status], status_words[STATUS_FAILED]);
    frame_put_text(results, row, data->columns.fixed[FIXED_message], message);
}

int store_append(struct store *store, const struct point *point, const struct result *result,
                 struct error *error)
{
    struct frame *results = &store->data.results;
    assert(store->begun && results->rows == store->data.index.rows);
    size_t row = results->rows, samples_before = store->data.sample_count;
    frame_add_row(results);
    if (schema_put(&store->schema, &store->data, row, store->data.mark.run, point, result, error) != 0) {
        results->rows--;
        return -1;
    }
    refuse_impossible(store, row, samples_before);
    return put_row(store, dataset_settle_row(&store->data), error);
}

int store_count(struct store *store, uint64_t id, int32_t repeat, int32_t device,
                const struct counted *counted, struct error *error)
{
    size_t row = row_index_find(&store->data.index, row_key_of(id, repeat, device));
    if (row == ROW_NONE)
        return 0;
    schema_put_counted(&store->schema, &store->data, row, counted);
    return put_row(store, row, error);
}

bool store_merge(struct store *store, const struct result *result, struct error *error)
{
    struct dataset *data = &store->data;
    const int *fixed = data->columns.fixed;
    size_t row = store_find_row(store, result->id);
    if (row == ROW_NONE || !result->sample_count)
        return false;
    union cell *offset = frame_cell(&data->results, row, fixed[FIXED_sample_offset]),
               *count = frame_cell(&data->results, row, fixed[FIXED_sample_count]);
    size_t before = (size_t)count->integer, from = (size_t)offset->integer;
    if (!before)
        return false;
    /* Samples that are not the last ones go to the end; the next checkpoint leaves the old ones out. */
    if (from + before != data->sample_count) {
        dataset_reserve_samples(data, before);
        offset->integer = (int64_t)data->sample_count;
        memcpy(data->samples + data->sample_count, data->samples + from, before * sizeof *data->samples);
        data->sample_count += before;
    }
    size_t first = data->sample_count;
    schema_put_samples(data, result);
    if (invariants_samples(data, data->samples + first, first, result->sample_count, NULL) != 0) {
        data->sample_count = first;
        return false;
    }
    count->integer += result->sample_count;
    store->replicated = true;
    put_row(store, row, error);
    return true;
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
