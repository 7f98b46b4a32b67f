/* key_set.h - a set of 64-bit keys, for millions of points, each with a number. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Open addressing, at most half full. Start from {0}; release with keys_free. */
struct keys {
    struct key_slot {
        uint64_t key;
        uint32_t number; /* 0: the slot is empty */
    } * slot;
    size_t capacity, count;
};

/* The number of a key; 0: it is new, and gets one from the caller, before the next call. */
uint32_t *keys_number(struct keys *keys, uint64_t key);
uint32_t keys_find(const struct keys *keys, uint64_t key); /* 0: it is not there */

bool keys_add(struct keys *keys, uint64_t key); /* true if the key is new */
bool keys_have(const struct keys *keys, uint64_t key);
void keys_free(struct keys *keys);
