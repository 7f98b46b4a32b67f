#include "store/open_store.h"

#include <string.h>

#include "base/memory.h"

/* While a checkpoint is written, rows below its number must not change, nor must those that are on the way: their newer
 * versions stand behind all others. When it has ended they take the place of the old ones, and the rows behind move up. */
void versions_settle(struct store *store, size_t first)
{
    struct frame *results = &store->data.results;
    size_t width = (size_t)results->columns * sizeof(union cell), kept = first, next = 0;
    for (size_t row = first; row < results->rows; row++) {
        bool version = next < store->versions && store->version[next].row == row;
        size_t to = version ? store->version[next++].of : kept++;
        if (to == row)
            continue;
        memcpy(frame_row(results, to), frame_row(results, row), width);
        store->index.key[to] = store->index.key[row];
        store->index.facts[to] = store->index.facts[row];
        row_index_move(&store->index, to);
    }
    results->rows = kept;
    row_index_cut(&store->index, kept);
    store->versions = 0;
}

/* An index that grows finds the first row of each key again, where versions are to be found. */
void versions_index(struct store *store, struct row_key key)
{
    size_t slots = store->index.slots;
    row_index_add(&store->index, key, (struct row_facts){0});
    for (size_t i = 0; i < store->versions && slots != store->index.slots; i++)
        row_index_move(&store->index, store->version[i].row);
}

bool versions_lack(const struct store *store, size_t row)
{
    return store->unread && row < unread_rows(store->unread);
}

bool versions_bind(const struct store *store, size_t row)
{
    return versions_lack(store, row) || (store->checkpoint && row < checkpoint_rows(store->checkpoint));
}

void versions_add(struct store *store, size_t row, size_t of)
{
    versions_index(store, store->index.key[of]);
    row_index_move(&store->index, row);
    store->version =
        memory_grow(store->version, store->versions, &store->version_capacity, sizeof *store->version);
    store->version[store->versions++] = (struct version){.row = row, .of = of};
}

size_t versions_changeable(struct store *store, size_t row)
{
    if (!versions_bind(store, row))
        return row;
    struct frame *results = &store->data.results;
    size_t copy = results->rows;
    frame_add_row(results);
    memcpy(frame_row(results, copy), frame_row(results, row), (size_t)results->columns * sizeof(union cell));
    versions_add(store, copy, row);
    store->index.facts[copy] = store->index.facts[row];
    return copy;
}
