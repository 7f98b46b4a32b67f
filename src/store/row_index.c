#include "store/row_index.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

struct row_key row_key_of(uint64_t id, int64_t repeat, int64_t device)
{
    return (struct row_key){id, repeat, repeat && device >= 0 ? device : -1};
}

struct row_key row_key_read(const struct frame *results, size_t row)
{
    const union cell *cell = frame_row(results, row);
    int id = frame_find(results, "id"), repeat = frame_find(results, "repeat");
    int device = frame_find(results, "device");
    return row_key_of(id < 0 ? 0 : strtoull(cell[id].text, NULL, 16), repeat < 0 ? 0 : cell[repeat].integer,
                      device < 0 ? -1 : cell[device].integer);
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

static void place(struct row_index *index, size_t row)
{
    size_t at = find_slot(index, index->key[row]);
    if (!index->slot[at])
        index->slot[at] = (uint32_t)row + 1;
}

void row_index_add(struct row_index *index, struct row_key key)
{
    index->key = memory_grow(index->key, index->rows, &index->capacity, sizeof *index->key);
    index->key[index->rows++] = key;
    if (2 * index->rows <= index->slots) {
        place(index, index->rows - 1);
        return;
    }
    index->slots = index->slots ? 2 * index->slots : 64;
    free(index->slot);
    index->slot = memory_new(index->slots, sizeof *index->slot);
    for (size_t row = 0; row < index->rows; row++)
        place(index, row);
}

void row_index_move(struct row_index *index, size_t row)
{
    index->slot[find_slot(index, index->key[row])] = (uint32_t)row + 1;
}

void row_index_cut(struct row_index *index, size_t rows)
{
    index->rows = rows;
}

void row_index_build(struct row_index *index, const struct frame *results)
{
    for (size_t row = 0; row < results->rows; row++) {
        if (row % (1 << 14) == 0)
            frame_rest(results);
        row_index_add(index, row_key_read(results, row));
    }
}

void row_index_free(struct row_index *index)
{
    free(index->key);
    free(index->slot);
    *index = (struct row_index){0};
}
