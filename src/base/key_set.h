/* key_set.h - a set of 64-bit keys, for millions of points, each with a number. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Open addressing, at most half full. 0 and 1 are the same key. Start from {0}; release with keys_free. */
struct keys {
    struct key_slot {
        uint64_t key;
        uint32_t number;
    } * slot;
    size_t capacity, count;
};

/* The number of a key, which is added with 0 if it is new; valid until the next call. */
uint32_t *keys_number(struct keys *keys, uint64_t key);
/* The same of a key that is there; NULL: it is not. */
const uint32_t *keys_find(const struct keys *keys, uint64_t key);

bool keys_add(struct keys *keys, uint64_t key); /* true if the key is new */
bool keys_have(const struct keys *keys, uint64_t key);
void keys_free(struct keys *keys);
