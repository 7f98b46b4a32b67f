#include "store/open_store.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void found_note(struct store *store, size_t row)
{
    store->index.facts[row] = row_facts_read(&store->columns, frame_row(&store->data.results, row));
}

void found_count(struct store *store, size_t row, int change)
{
    enum status status = (enum status)store->index.facts[row].status;
    if (store->index.key[row].repeat == 0 && status < STATUS_COUNT)
        store->counts[status] += (uint64_t)change;
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
    if (row == ROW_NONE || store->index.facts[row].status == STATUS_COUNT)
        return false; /* a newer release's status: measure the point again */
    *status = (enum status)store->index.facts[row].status;
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

uint32_t store_processes(const struct store *store, uint64_t id)
{
    enum status status;
    if (!store_find(store, id, &status) || status != STATUS_OK)
        return 0;
    uint32_t processes = store->index.facts[row_index_find(&store->index, row_key_of(id, 0, -1))].processes;
    return processes ? processes : 1;
}

void store_device_uuid(const struct store *store, uint64_t id, char *uuid, size_t size)
{
    const struct frame *results = &store->data.results, *devices = &store->data.devices;
    size_t row = row_index_find(&store->index, row_key_of(id, 0, -1));
    int64_t device = row == ROW_NONE ? -1 : frame_row(results, row)[store->columns.device].integer;
    *uuid = '\0';
    if (device >= 0 && (size_t)device < devices->rows)
        snprintf(uuid, size, "%s", frame_find_text(devices, (size_t)device, "uuid"));
}

uint32_t store_next_process(const struct store *store)
{
    return store->data.next_process;
}

enum counters_state store_counters(const struct store *store, uint64_t id)
{
    enum status status;
    if (!store_find(store, id, &status) || status != STATUS_OK)
        return COUNTERS_NONE;
    size_t row = row_index_find(&store->index, row_key_of(id, 0, -1));
    return (enum counters_state)store->index.facts[row].counters;
}

double store_l2_dirty(const struct store *store, uint64_t id)
{
    enum status status;
    if (!store_find(store, id, &status) || status != STATUS_OK)
        return NAN;
    size_t row = row_index_find(&store->index, row_key_of(id, 0, -1));
    return frame_find_real(&store->data.results, row, "l2_dirty");
}
