#include "analysis/pairing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

struct side {
    const struct view *view;
    size_t *partner; /* owned; per row of the view, the row of the other view */
};

struct key {
    uint64_t hash;
    size_t row; /* of the view */
};

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    return x->hash != y->hash ? (x->hash > y->hash) - (x->hash < y->hash)
                              : (x->row > y->row) - (x->row < y->row);
}

uint64_t pairing_hash(const struct dataset *dataset, size_t row, const struct dataset *other,
                      const char *except)
{
    const struct frame *results = &dataset->results;
    uint64_t sum = 0; /* of the axes, whose order may differ between the files */
    for (int c = 0; c < results->columns; c++) {
        const struct column *column = &results->column[c];
        if (!view_is_axis(dataset, c) || (except && text_lists(except, column->name)))
            continue;
        int there = other == dataset ? c : frame_find(&other->results, column->name);
        union cell cell = *frame_cell(results, row, c);
        if (there < 0 || !view_is_axis(other, there) || frame_is_missing(column, cell))
            continue;
        char number[32];
        snprintf(number, sizeof number, "%" PRId64, column->type == COLUMN_TEXT ? 0 : cell.integer);
        uint64_t one = hash_text(HASH_START, column->name);
        sum += hash_mix(hash_text(one, column->type == COLUMN_TEXT ? cell.text : number));
    }
    return hash_mix(hash_text(HASH_START, frame_find_text(results, row, COLUMN(kernel))) + sum);
}

static uint64_t id_hash(const struct side *side, size_t i, const struct side *other)
{
    (void)other;
    return hash_text(HASH_START,
                     frame_find_text(&side->view->dataset->results, side->view->row[i], COLUMN(id)));
}

static uint64_t axes_hash(const struct side *side, size_t i, const struct side *other)
{
    return pairing_hash(side->view->dataset, side->view->row[i], other->view->dataset, NULL);
}

typedef uint64_t (*row_hash)(const struct side *side, size_t i, const struct side *other);

/* The rows without a partner, by hash. The caller frees. */
static struct key *sorted_keys(const struct side *side, const struct side *other, row_hash hash,
                               size_t *count)
{
    struct key *keys = memory_new(side->view->rows + 1, sizeof *keys);
    *count = 0;
    for (size_t i = 0; i < side->view->rows; i++)
        if (side->partner[i] == PAIRING_NONE)
            keys[(*count)++] = (struct key){hash(side, i, other), i};
    qsort(keys, *count, sizeof *keys, compare_keys);
    return keys;
}

static size_t run_length(const struct key *keys, size_t first, size_t count)
{
    size_t length = 1;
    while (first + length < count && keys[first + length].hash == keys[first].hash)
        length++;
    return length;
}

/* Pair rows whose hash is unique in both files. */
static void pair_by(struct side *a, struct side *b, row_hash hash)
{
    size_t rows_a, rows_b, i = 0, k = 0;
    struct key *keys_a = sorted_keys(a, b, hash, &rows_a), *keys_b = sorted_keys(b, a, hash, &rows_b);
    while (i < rows_a && k < rows_b) {
        size_t run_a = run_length(keys_a, i, rows_a), run_b = run_length(keys_b, k, rows_b);
        bool equal = keys_a[i].hash == keys_b[k].hash, less = keys_a[i].hash < keys_b[k].hash;
        if (equal && run_a == 1 && run_b == 1) {
            a->partner[keys_a[i].row] = keys_b[k].row;
            b->partner[keys_b[k].row] = keys_a[i].row;
        }
        i += equal || less ? run_a : 0;
        k += equal || !less ? run_b : 0;
    }
    free(keys_a);
    free(keys_b);
}

static struct side side_of(const struct view *view)
{
    struct side side = {view, memory_new(view->rows + 1, sizeof *side.partner)};
    for (size_t i = 0; i < view->rows; i++)
        side.partner[i] = PAIRING_NONE;
    return side;
}

size_t *pairing_of(const struct view *a, const struct view *b)
{
    struct side first = side_of(a), second = side_of(b);
    pair_by(&first, &second, id_hash);
    pair_by(&first, &second, axes_hash);
    free(second.partner);
    return first.partner;
}
