/* key_set.h - a set of 64-bit keys, for millions of points. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Open addressing, at most half full. 0 and 1 are the same key. Start from {0}; release with keys_free. */
struct keys {
    uint64_t *slot;
    size_t capacity, count;
};

/* True if the key is new. */
bool keys_add(struct keys *keys, uint64_t key);
bool keys_have(const struct keys *keys, uint64_t key);
void keys_free(struct keys *keys);
