/* row_index.h - finds a row of /results by what makes it unique: the point's id, and for the repetitions of a
 * canary also which repetition it is and on which device. What is asked of all rows when a run goes on is kept beside
 * the keys: the rows themselves may be out of memory. */
#ifndef STORE_ROW_INDEX_H
#define STORE_ROW_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/frame.h"

struct row_key {
    uint64_t id;
    int64_t repeat;
    int64_t device; /* -1 when repeat is 0: wherever the point ran, it is the same point */
};

struct row_facts {
    uint8_t status;      /* enum status; STATUS_COUNT: a newer release's */
    uint8_t counters;    /* enum counters_state */
    int16_t attempts;    /* columns of /results; -1: missing */
    int32_t run, device; /* likewise */
    uint32_t processes;  /* that measured it; 0: not told */
};

/* Start from {0}. */
struct row_index {
    struct row_key *key;     /* of each row */
    struct row_facts *facts; /* likewise */
    size_t rows, capacity, facts_capacity;
    uint32_t *slot; /* row + 1, 0 when free: open addressing, linear probing, at most half full */
    size_t slots;
};

#define ROW_NONE SIZE_MAX

struct row_key row_key_of(uint64_t id, int64_t repeat, int64_t device);

/* Columns of /results; -1: not there. */
struct index_columns {
    int id, repeat, device, status, counters, processes, run, attempts;
};
struct index_columns index_columns_of(const struct frame *results);
/* Whether key and facts are made of the column of that name, among others. */
bool index_column_is_read(const char *name);
struct row_key row_key_read(const struct index_columns *columns, const union cell *cell);
struct row_facts row_facts_read(const struct index_columns *columns, const union cell *cell);
/* The same of a single column, when it is one of them; not of the status. */
void row_facts_take(struct row_facts *facts, const struct index_columns *columns, int column,
                    const union cell *cell);

size_t row_index_find(const struct row_index *index, struct row_key key);
/* Add the key of the next row, and what is known of it. The first row of a key is the one that is found. */
void row_index_add(struct row_index *index, struct row_key key, struct row_facts facts);
/* From now on `row` is the one of its key that is found; it has been added. */
void row_index_move(struct row_index *index, size_t row);
/* Forget the rows from `rows` on, of whose keys others are found. */
void row_index_cut(struct row_index *index, size_t rows);
void row_index_free(struct row_index *index);

#endif
