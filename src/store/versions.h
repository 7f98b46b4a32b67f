/* versions.h - newer versions of rows that must not change, or are not there yet: they stand behind all others, and the index
 * finds them. When the old rows may change, the new ones take their places. */
#ifndef STORE_VERSIONS_H
#define STORE_VERSIONS_H

#include <stddef.h>

#include "store/row_index.h"

/* Start from {0}. */
struct versions {
    struct version {
        size_t row, of;
    } * version; /* in the order of the rows */
    size_t count, capacity;
};

/* Add the key of the newest row, of which there is none yet. */
void versions_index(const struct versions *versions, struct row_index *index, struct row_key key,
                    struct row_facts facts);
/* `row`, the newest, stands for the row `of` from now on. */
void versions_add(struct versions *versions, struct row_index *index, size_t row, size_t of,
                  struct row_facts facts);
/* The rows below `first` may change again: newer versions take the place of the old ones, and the rows behind
 * move up. */
void versions_settle(struct versions *versions, struct row_index *index, struct frame *results, size_t first);
void versions_free(struct versions *versions);

#endif
