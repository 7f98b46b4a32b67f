#include "store/open_store.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

void found_note(struct store *store, size_t row)
{
    store->index.facts[row] = row_facts_read(&store->columns, frame_row(&store->data.results, row));
}

size_t found_row(struct store *store, uint64_t id)
{
    struct row_key key = row_key_of(id, 0, -1);
    size_t row = row_index_find(&store->index, key);
    if (row == ROW_NONE || !fetching_lacks(store, row))
        return row;
    /* An error is told by whoever goes on writing. */
    return fetching_await(store, &(struct error){0}) == 0 ? row_index_find(&store->index, key) : ROW_NONE;
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

bool store_find(const struct store *store, uint64_t id, enum status *status)
{
    size_t row = row_index_find(&store->index, row_key_of(id, 0, -1));
    if (row == ROW_NONE || store->index.facts[row].status == STATUS_COUNT)
        return false; /* a newer release's status: measure the point again */
    *status = (enum status)store->index.facts[row].status;
    return true;
}

size_t store_find_row(struct store *store, uint64_t id)
{
    size_t row = found_row(store, id);
    return row == ROW_NONE ? SIZE_MAX : row;
}

bool store_find_point(const struct store *store, uint64_t id, struct store_point *point)
{
    enum status status;
    if (!store_find(store, id, &status))
        return false;
    const struct row_facts *facts = &store->index.facts[row_index_find(&store->index, row_key_of(id, 0, -1))];
    *point = (struct store_point){
        .status = status, .run = facts->run, .device = facts->device, .attempts = facts->attempts};
    return true;
}

bool store_is_counted(struct store *store, uint64_t id)
{
    size_t row = found_row(store, id);
    if (row == ROW_NONE)
        return false;
    if (id % (1 << 10) == 0) /* ids are hashes: now and then, when all points are asked for */
        frame_rest(&store->data.results);
    const union cell *cell = frame_row(&store->data.results, row);
    for (int i = 0; i < store->schema.counters; i++)
        if (!isnan(cell[store->schema.counter[i]].real))
            return true;
    return false;
}

size_t store_ok_runs(const struct store *store, int64_t **run)
{
    size_t count = 0, capacity = 0;
    *run = NULL;
    for (size_t row = 0; row < store->index.rows; row++) {
        const struct row_facts *facts = &store->index.facts[row];
        size_t known = 0;
        if (facts->status != STATUS_OK || facts->run < 0)
            continue;
        while (known < count && (*run)[known] != facts->run)
            known++;
        if (known < count)
            continue;
        *run = memory_grow(*run, count, &capacity, sizeof **run);
        (*run)[count++] = facts->run;
    }
    return count;
}

uint32_t store_highest_repeat(const struct store *store)
{
    int64_t highest = 0;
    for (size_t row = 0; row < store->index.rows; row++)
        if (store->index.key[row].repeat > highest)
            highest = store->index.key[row].repeat;
    return (uint32_t)highest;
}

void store_describe(struct store *store, uint64_t id, char *text, size_t size)
{
    const struct frame *results = &store->data.results, *devices = &store->data.devices;
    size_t row = found_row(store, id);
    text[0] = '\0';
    if (row == ROW_NONE)
        return;
    int64_t device = frame_row(results, row)[store->schema.fixed[FIXED_device]].integer;
    bool known = device >= 0 && (size_t)device < devices->rows;
    snprintf(text, size, "%s on device %lld of %s: %s", frame_find_text(results, row, COLUMN(status)),
             known ? (long long)device : -1,
             known ? frame_find_text(devices, (size_t)device, DEVICE_COLUMN(host)) : "?",
             frame_find_text(results, row, COLUMN(message)));
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
    const struct frame *devices = &store->data.devices;
    size_t row = row_index_find(&store->index, row_key_of(id, 0, -1));
    int32_t device = row == ROW_NONE ? -1 : store->index.facts[row].device;
    *uuid = '\0';
    if (device >= 0 && (size_t)device < devices->rows)
        snprintf(uuid, size, "%s", frame_find_text(devices, (size_t)device, DEVICE_COLUMN(uuid)));
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

double store_l2_dirty(struct store *store, uint64_t id)
{
    enum status status;
    if (!store_find(store, id, &status) || status != STATUS_OK)
        return NAN;
    size_t row = found_row(store, id);
    return row == ROW_NONE ? NAN : frame_find_real(&store->data.results, row, COLUMN(l2_dirty));
}
