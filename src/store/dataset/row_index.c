#include "store/dataset/row_index.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

struct row_key row_key_of(uint64_t id, int64_t repeat, int64_t device)
{
    return (struct row_key){id, repeat, repeat && device >= 0 ? device : -1};
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

size_t row_index_add(struct row_index *index, struct row_key key)
{
    assert(index->rows < UINT32_MAX);
    index->key = memory_grow(index->key, index->rows, &index->capacity, sizeof *index->key);
    size_t first = index->rows, there = row_index_find(index, key);
    index->key[index->rows++] = key;
    if (2 * index->rows > index->slots) {
        index->slots = index->slots ? 2 * index->slots : 64;
        free(index->slot);
        index->slot = memory_new(index->slots, sizeof *index->slot);
        first = 0;
    }
    for (size_t row = first; row < index->rows; row++) {
        uint32_t *slot = &index->slot[find_slot(index, index->key[row])];
        *slot = *slot ? *slot : (uint32_t)row + 1;
    }
    return there;
}

void row_index_free(struct row_index *index)
{
    free(index->key);
    free(index->slot);
    *index = (struct row_index){0};
}
