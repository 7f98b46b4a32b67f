/* row_index.h - finds a row of /results by its key: the point's id, and for a canary also the repetition and the device.
 * Beside the key it keeps what a resumed run asks of every row: the rows themselves may be out of memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/frame.h"

struct row_key {
    uint64_t id;
    int64_t repeat;
    int64_t device; /* -1 when repeat is 0: a point is the same on every device */
};

struct row_facts {
    uint8_t status;      /* enum status; STATUS_COUNT: of a newer release */
    uint8_t counters;    /* enum counters_state */
    int16_t attempts;    /* columns of /results; -1: missing */
    int32_t run, device; /* the same */
    uint32_t processes;  /* that measured it; 0: missing */
    bool stale;          /* samples were added since its times were computed; row_facts_read: false */
};

/* Start from {0}. */
struct row_index {
    struct row_key *key;     /* of each row */
    struct row_facts *facts; /* of each row */
    size_t rows, capacity, facts_capacity;
    uint32_t *slot; /* row + 1, 0 when free: open addressing, linear probing, at most half full */
    size_t slots;
};

#define ROW_NONE SIZE_MAX

struct row_key row_key_of(uint64_t id, int64_t repeat, int64_t device);

/* Columns of /results; -1: missing. */
struct index_columns {
    int id, repeat, device, status, counters, processes, run, attempts, sample_offset, sample_count;
};
struct index_columns index_columns_of(const struct frame *results);
struct row_key row_key_read(const struct index_columns *columns, const union cell *cell);
struct row_facts row_facts_read(const struct index_columns *columns, const union cell *cell);

/* Of several rows with one key, the one that was added or chosen last; ROW_NONE: there is none. */
size_t row_index_find(const struct row_index *index, struct row_key key);
/* Add the next row. Returns the row that had its key before, or ROW_NONE. */
size_t row_index_add(struct row_index *index, struct row_key key, struct row_facts facts);
/* Let row_index_find return `row` for its key. */
void row_index_choose(struct row_index *index, size_t row);
/* Forget the rows from `rows` on; rows before them have been chosen for their keys. */
void row_index_cut(struct row_index *index, size_t rows);
void row_index_free(struct row_index *index);
