#include "store/dataset/dataset.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

struct row_key row_key_of(uint64_t id, int64_t repeat, int64_t device)
{
    return (struct row_key){id, repeat, repeat && device >= 0 ? device : -1};
}

static bool same_key(struct row_key a, struct row_key b)
{
    return a.id == b.id && a.repeat == b.repeat && a.device == b.device;
}

static uint64_t hash_of(struct row_key key)
{
    return key.repeat ? hash_u64(hash_u64(key.id, (uint64_t)key.repeat), (uint64_t)key.device) : key.id;
}

/* Rows of different keys may have one hash: the later one gets the next number that is free. `*hash`: the
 * number of the key. */
static size_t find(const struct row_index *index, struct row_key key, uint64_t *hash)
{
    uint32_t found;
    for (*hash = hash_of(key); (found = keys_find(&index->numbers, *hash)); ++*hash)
        if (same_key(index->key[found - 1], key))
            return found - 1;
    return ROW_NONE;
}

size_t row_index_find(const struct row_index *index, struct row_key key)
{
    uint64_t hash;
    return find(index, key, &hash);
}

size_t row_index_add(struct row_index *index, struct row_key key)
{
    assert(index->rows < UINT32_MAX);
    uint64_t hash;
    size_t there = find(index, key, &hash);
    index->key = memory_grow(index->key, index->rows, &index->capacity, sizeof *index->key);
    index->key[index->rows++] = key;
    if (there == ROW_NONE)
        *keys_number(&index->numbers, hash) = (uint32_t)index->rows;
    return there;
}

void row_index_free(struct row_index *index)
{
    free(index->key);
    keys_free(&index->numbers);
    *index = (struct row_index){0};
}
