#include "base/key_set.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

/* The slot of the key, or the empty one for it. */
static struct key_slot *place(const struct keys *keys, uint64_t key)
{
    size_t at = hash_mix(key) & (keys->capacity - 1);
    while (keys->slot[at].number && keys->slot[at].key != key)
        at = (at + 1) & (keys->capacity - 1);
    return &keys->slot[at];
}

static void enlarge(struct keys *keys)
{
    struct keys larger = {.capacity = keys->capacity ? 2 * keys->capacity : 64, .count = keys->count};
    larger.slot = memory_new(larger.capacity, sizeof *larger.slot);
    for (size_t i = 0; i < keys->capacity; i++)
        if (keys->slot[i].number)
            *place(&larger, keys->slot[i].key) = keys->slot[i];
    free(keys->slot);
    *keys = larger;
}

uint32_t *keys_number(struct keys *keys, uint64_t key)
{
    if (2 * keys->count >= keys->capacity)
        enlarge(keys);
    struct key_slot *slot = place(keys, key);
    keys->count += !slot->number;
    slot->key = key;
    return &slot->number;
}

uint32_t keys_find(const struct keys *keys, uint64_t key)
{
    return keys->capacity ? place(keys, key)->number : 0;
}

bool keys_add(struct keys *keys, uint64_t key)
{
    uint32_t *number = keys_number(keys, key);
    bool new = !*number;
    *number = 1;
    return new;
}

bool keys_have(const struct keys *keys, uint64_t key)
{
    return keys_find(keys, key) != 0;
}

void keys_free(struct keys *keys)
{
    free(keys->slot);
    *keys = (struct keys){0};
}
