#include "base/key_set.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

/* The slot of the key, or the empty one for it. */
static size_t keys_place(const struct keys *keys, uint64_t key)
{
    size_t at = hash_mix(key) & (keys->capacity - 1);
    while (keys->slot[at] && keys->slot[at] != key)
        at = (at + 1) & (keys->capacity - 1);
    return at;
}

static void keys_enlarge(struct keys *keys)
{
    struct keys larger = {.capacity = keys->capacity ? 2 * keys->capacity : 64, .count = keys->count};
    larger.slot = memory_new(larger.capacity, sizeof *larger.slot);
    for (size_t i = 0; i < keys->capacity; i++)
        if (keys->slot[i])
            larger.slot[keys_place(&larger, keys->slot[i])] = keys->slot[i];
    free(keys->slot);
    *keys = larger;
}

bool keys_add(struct keys *keys, uint64_t key)
{
    key = key ? key : 1;
    if (2 * keys->count >= keys->capacity)
        keys_enlarge(keys);
    size_t at = keys_place(keys, key);
    if (keys->slot[at])
        return false;
    keys->slot[at] = key;
    keys->count++;
    return true;
}

bool keys_have(const struct keys *keys, uint64_t key)
{
    return keys->capacity && keys->slot[keys_place(keys, key ? key : 1)];
}

void keys_free(struct keys *keys)
{
    free(keys->slot);
    *keys = (struct keys){0};
}
