#include "store/versions.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* An index that grows finds the first row of each key again, where versions are to be found. */
void versions_index(const struct versions *versions, struct row_index *index, struct row_key key,
                    struct row_facts facts)
{
    size_t slots = index->slots;
    row_index_add(index, key, facts);
    for (size_t i = 0; i < versions->count && slots != index->slots; i++)
        row_index_move(index, versions->version[i].row);
}

void versions_add(struct versions *versions, struct row_index *index, size_t row, size_t of,
                  struct row_facts facts)
{
    versions_index(versions, index, index->key[of], facts);
    row_index_move(index, row);
    versions->version =
        memory_grow(versions->version, versions->count, &versions->capacity, sizeof *versions->version);
    versions->version[versions->count++] = (struct version){.row = row, .of = of};
}

void versions_settle(struct versions *versions, struct row_index *index, struct frame *results, size_t first)
{
    enum { REST_ROWS = 1 << 14 }; /* after which what is spilled is left to its file again */
    size_t width = (size_t)results->columns * sizeof(union cell), kept = first, next = 0;
    for (size_t row = first; row < results->rows; row++) {
        if (row % REST_ROWS == 0)
            frame_rest(results);
        bool version = next < versions->count && versions->version[next].row == row;
        size_t to = version ? versions->version[next++].of : kept++;
        if (to == row)
            continue;
        memcpy(frame_row(results, to), frame_row(results, row), width);
        index->key[to] = index->key[row];
        index->facts[to] = index->facts[row];
        row_index_move(index, to);
    }
    results->rows = kept;
    row_index_cut(index, kept);
    versions->count = 0;
}

void versions_free(struct versions *versions)
{
    free(versions->version);
    *versions = (struct versions){0};
}
