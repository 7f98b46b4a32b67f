#include "store/row_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "core/result.h"

struct row_key row_key_of(uint64_t id, int64_t repeat, int64_t device)
{
    return (struct row_key){id, repeat, repeat && device >= 0 ? device : -1};
}

enum { ID, REPEAT, DEVICE, STATUS, COUNTERS, PROCESSES, RUN, ATTEMPTS, READ };
static const struct {
    const char *name;
    enum column_type type;
} read[READ] = {
    [ID] = {COLUMN(id), COLUMN_TEXT},
    [REPEAT] = {COLUMN(repeat), COLUMN_INTEGER},
    [DEVICE] = {COLUMN(device), COLUMN_INTEGER},
    [STATUS] = {COLUMN(status), COLUMN_TEXT},
    [COUNTERS] = {COLUMN(counters_status), COLUMN_TEXT},
    [PROCESSES] = {COLUMN(processes), COLUMN_REAL},
    [RUN] = {COLUMN(run), COLUMN_INTEGER},
    [ATTEMPTS] = {COLUMN(attempts), COLUMN_INTEGER},
};

bool index_column_is_read(const char *name)
{
    for (int i = 0; i < READ; i++)
        if (!strcmp(name, read[i].name))
            return true;
    return false;
}

static int find(const struct frame *results, int which)
{
    int column = frame_find(results, read[which].name);
    return column >= 0 && results->column[column].type == read[which].type ? column : -1;
}

struct index_columns index_columns_of(const struct frame *results)
{
    return (struct index_columns){.id = find(results, ID),
                                  .repeat = find(results, REPEAT),
                                  .device = find(results, DEVICE),
                                  .status = find(results, STATUS),
                                  .counters = find(results, COUNTERS),
                                  .processes = find(results, PROCESSES),
                                  .run = find(results, RUN),
                                  .attempts = find(results, ATTEMPTS)};
}

struct row_key row_key_read(const struct index_columns *columns, const union cell *cell)
{
    return row_key_of(columns->id < 0 ? 0 : strtoull(cell[columns->id].text, NULL, 16),
                      columns->repeat < 0 ? 0 : cell[columns->repeat].integer,
                      columns->device < 0 ? -1 : cell[columns->device].integer);
}

static enum counters_state counters_of(const char *text)
{
    size_t length = strcspn(text, ":"); /* "missing: and why" */
    for (int i = 0; i < COUNTERS_STATE_COUNT; i++)
        if (length == strlen(counters_words[i]) && !strncmp(text, counters_words[i], length))
            return (enum counters_state)i;
    return COUNTERS_NONE;
}

/* -1: missing, or none that is written. */
static int64_t integer_of(const union cell *cell, int column, int64_t most)
{
    int64_t value = column < 0 ? -1 : cell[column].integer;
    return value >= 0 && value <= most ? value : -1;
}

static uint32_t processes_of(const union cell *cell, int column)
{
    double processes = column < 0 ? 0 : cell[column].real;
    return processes >= 1 && processes <= UINT32_MAX ? (uint32_t)processes : 0;
}

void row_facts_take(struct row_facts *facts, const struct index_columns *columns, int column,
                    const union cell *cell)
{
    if (column == columns->run)
        facts->run = (int32_t)integer_of(cell, column, INT32_MAX);
    else if (column == columns->device)
        facts->device = (int32_t)integer_of(cell, column, INT32_MAX);
    else if (column == columns->attempts)
        facts->attempts = (int16_t)integer_of(cell, column, INT16_MAX);
    else if (column == columns->counters)
        facts->counters = (uint8_t)counters_of(cell[column].text);
    else if (column == columns->processes)
        facts->processes = processes_of(cell, column);
}

struct row_facts row_facts_read(const struct index_columns *columns, const union cell *cell)
{
    struct row_facts facts = {.status = STATUS_COUNT, .counters = COUNTERS_NONE};
    facts.run = (int32_t)integer_of(cell, columns->run, INT32_MAX);
    facts.device = (int32_t)integer_of(cell, columns->device, INT32_MAX);
    facts.attempts = (int16_t)integer_of(cell, columns->attempts, INT16_MAX);
    const char *status = columns->status < 0 ? "" : cell[columns->status].text;
    for (int i = 0; i < STATUS_COUNT && facts.status == STATUS_COUNT; i++)
        if (!strcmp(status, status_words[i]))
            facts.status = (uint8_t)i;
    if (columns->counters >= 0)
        facts.counters = (uint8_t)counters_of(cell[columns->counters].text);
    facts.processes = processes_of(cell, columns->processes);
    return facts;
}

/* The slot that holds `key`, or the free one where it belongs. */
static size_t find_slot(const struct row_index *index, struct row_key key)
{
    size_t mask = index->slots - 1;
    size_t at =
        (size_t)(hash_mix(key.id) + hash_mix((uint64_t)key.repeat * 31 + (uint64_t)key.device)) & mask;
    for (; index->slot[at]; at = (at + 1) & mask) {
        const struct row_key *there = &index->key[index->slot[at] - 1];
        if (there->id == key.id && there->repeat == key.repeat && there->device == key.device)
            break;
    }
    return at;
}

size_t row_index_find(const struct row_index *index, struct row_key key)
{
    if (!index->slots)
        return ROW_NONE;
    uint32_t found = index->slot[find_slot(index, key)];
    return found ? found - 1 : ROW_NONE;
}

static void place(struct row_index *index, size_t row)
{
    size_t at = find_slot(index, index->key[row]);
    if (!index->slot[at])
        index->slot[at] = (uint32_t)row + 1;
}

void row_index_add(struct row_index *index, struct row_key key, struct row_facts facts)
{
    index->facts = memory_grow(index->facts, index->rows, &index->facts_capacity, sizeof *index->facts);
    index->facts[index->rows] = facts;
    index->key = memory_grow(index->key, index->rows, &index->capacity, sizeof *index->key);
    index->key[index->rows++] = key;
    if (2 * index->rows <= index->slots) {
        place(index, index->rows - 1);
        return;
    }
    index->slots = index->slots ? 2 * index->slots : 64;
    free(index->slot);
    index->slot = memory_new(index->slots, sizeof *index->slot);
    for (size_t row = 0; row < index->rows; row++)
        place(index, row);
}

void row_index_move(struct row_index *index, size_t row)
{
    index->slot[find_slot(index, index->key[row])] = (uint32_t)row + 1;
}

void row_index_cut(struct row_index *index, size_t rows)
{
    index->rows = rows;
}

void row_index_free(struct row_index *index)
{
    free(index->key);
    free(index->facts);
    free(index->slot);
    *index = (struct row_index){0};
}
