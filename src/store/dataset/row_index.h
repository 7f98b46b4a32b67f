/* row_index.h - finds a row of /results by its key: the point's id, and for a canary also the repetition and the device. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct row_key {
    uint64_t id;
    int64_t repeat;
    int64_t device; /* -1 when repeat is 0: a point is the same on every device */
};

/* Start from {0}. */
struct row_index {
    struct row_key *key; /* of each row */
    size_t rows, capacity;
    uint32_t *slot; /* row + 1, 0 when free: open addressing, linear probing, at most half full */
    size_t slots;
};

#define ROW_NONE SIZE_MAX

struct row_key row_key_of(uint64_t id, int64_t repeat, int64_t device);

/* The row of a key, or ROW_NONE. */
size_t row_index_find(const struct row_index *index, struct row_key key);
/* Add the next row. Returns the row that has its key already, which is found from now on as before, or ROW_NONE. */
size_t row_index_add(struct row_index *index, struct row_key key);
void row_index_free(struct row_index *index);
