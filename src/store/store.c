#include "store/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/contents.h"
#include "store/open_store.h"
#include "store/summary.h"

/* Seconds, and bytes, after which rows are handed to the kernel. */
#define FLUSH_EVERY 0.005     /* hand rows to the kernel: at most this much is lost when we are killed */
#define FLUSH_BYTES (1 << 16) /* ... or when that many are pending */

const struct dataset *store_data(const struct store *store)
{
    return &store->data;
}

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
    if (saving_binds(store, there)) {
        versions_add(&store->late.versions, &store->index, newest, there, (struct row_facts){0});
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
    if (fetching_start(store, error) != 0)
        return -1;
    size_t row = results->rows;
    frame_add_row(results);
    if (schema_put(&store->schema, &store->data, row, store->mark.run, point, result, error) != 0) {
        results->rows--;
        return -1;
    }
    struct row_key key = row_key_of(result->id, result->repeat, result->device);
    size_t there = row_index_find(&store->index, key);
    if (there == ROW_NONE) {
        versions_index(&store->late.versions, &store->index, key, (struct row_facts){0});
    } else {
        found_count(store, there, -1);
        row = replace_row(store, there, row);
    }
    found_note(store, row);
    found_count(store, row, 1);
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
    if (fetching_lacks(store, row)) {
        if (fetching_await(store, error) != 0)
            return -1;
        row = row_index_find(&store->index, key);
    }
    row = saving_changeable(store, row);
    int count = schema_put_counted(&store->schema, &store->data, row, counted, changed);
    found_note(store, row);
    record_put_amendment(&store->journal, &store->data.results, row, key, changed, count,
                         ++store->mark.sequence);
    return flush_now_and_then(store, error);
}

bool store_merge(struct store *store, const struct result *result, struct error *error)
{
    struct dataset *data = &store->data;
    size_t row = found_row(store, result->id);
    if (row == ROW_NONE || !result->sample_count)
        return false;
    if (!frame_row(&data->results, row)[frame_find(&data->results, COLUMN(sample_count))].integer)
        return false;
    row = saving_changeable(store, row);
    union cell *cell = frame_row(&data->results, row);
    union cell *offset = &cell[frame_find(&data->results, COLUMN(sample_offset))];
    union cell *count = &cell[frame_find(&data->results, COLUMN(sample_count))];
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
    found_note(store, row);
    record_put_row(&store->journal, data, row, ++store->mark.sequence);
    journal_flush(&store->journal, error);
    return true;
}

void store_span(struct store *store, const struct span *span)
{
    struct span own = *span;
    own.run = (uint16_t)(store->mark.run < UINT16_MAX ? store->mark.run : UINT16_MAX);
    contents_add_span(&store->data, &own);
}

void store_span_start(struct store *store, double start)
{
    store->data.span_zero = start;
}

int store_close(struct store *store, struct error *error)
{
    if (!store->begun) {
        opening_abandon(store);
        return 0;
    }
    saving_await(store, error); /* a failed one is tried again below: there may be room by now */
    if (store->replicated && fetching_await(store, error) == 0) {
        summary_fill_all(&store->data);
        store->checkpoint_sequence = UINT64_MAX; /* the rows have changed since, whatever was written */
    }
    if (store->mark.sequence != store->begun_sequence)
        store->checkpoint_sequence = UINT64_MAX; /* what was at the end is told at the end */
    int failed = store_checkpoint(store, error);
    journal_close(&store->journal, !failed);
    opening_free(store);
    return failed;
}
