#include "store/dataset/dataset.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

struct row_key row_key_of(uint64_t id, int64_t repeat, int64_t device)
{
    return (struct row_key){id, repeat, repeat && device >= 0 ? device : -1};
}

/* As unlikely to be equal for two keys as two ids, which are hashes themselves. */
static uint64_t hash_of(struct row_key key)
{
    return key.repeat ? hash_mix(key.id) + hash_mix((uint64_t)key.repeat * 31 + (uint64_t)key.device)
                      : key.id;
}

size_t row_index_find(const struct row_index *index, struct row_key key)
{
    uint32_t found = keys_find(&index->numbers, hash_of(key));
    return found ? found - 1 : ROW_NONE;
}

size_t row_index_add(struct row_index *index, struct row_key key)
{
    assert(index->rows < UINT32_MAX);
    index->key = memory_grow(index->key, index->rows, &index->capacity, sizeof *index->key);
    index->key[index->rows++] = key;
    uint32_t *number = keys_number(&index->numbers, hash_of(key));
    if (*number)
        return *number - 1;
    *number = (uint32_t)index->rows;
    return ROW_NONE;
}

void row_index_free(struct row_index *index)
{
    free(index->key);
    keys_free(&index->numbers);
    *index = (struct row_index){0};
}
