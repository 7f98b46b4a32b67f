#include "analysis/pairing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

/* Which columns have a value in rows of a kernel. An axis that a family did not have yet may be one of another family. */
struct family_columns {
    const char *kernel;
    bool *has; /* owned; by column of the file */
};

struct side {
    const struct view *view;
    size_t *partner;               /* owned; per row of the view, the row of the other view */
    struct family_columns *family; /* owned */
    size_t families, capacity;
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

static struct family_columns *find_family(const struct side *side, const char *kernel)
{
    for (size_t f = 0; f < side->families; f++)
        if (strcmp(side->family[f].kernel, kernel) == 0)
            return &side->family[f];
    return NULL;
}

/* Of all axes, or of those that rows of the kernel have in the other file, too. */
static uint64_t hash_axes(const struct dataset *dataset, size_t row, const struct side *other,
                          const char *except)
{
    const struct frame *results = &dataset->results;
    const char *kernel = frame_find_text(results, row, COLUMN(kernel));
    const struct family_columns *family = other ? find_family(other, kernel) : NULL;
    uint64_t sum = 0; /* of the axes, whose order may differ between the files */
    for (int c = 0; c < results->columns; c++) {
        const struct column *column = &results->column[c];
        union cell cell = *frame_cell(results, row, c);
        if (!view_is_axis(dataset, c) || (except && text_lists(except, column->name)) ||
            frame_is_missing(column, cell))
            continue;
        int there = other ? frame_find(&other->view->dataset->results, column->name) : c;
        if (there < 0 || (other && !(family && family->has[there])))
            continue;
        char number[32];
        snprintf(number, sizeof number, "%" PRId64, column->type == COLUMN_TEXT ? 0 : cell.integer);
        uint64_t one = hash_text(HASH_START, column->name);
        sum += hash_mix(hash_text(one, column->type == COLUMN_TEXT ? cell.text : number));
    }
    return hash_mix(hash_text(HASH_START, kernel) + sum);
}

uint64_t pairing_hash(const struct dataset *dataset, size_t row, const char *except)
{
    return hash_axes(dataset, row, NULL, except);
}

static uint64_t id_hash(const struct side *side, size_t i, const struct side *other)
{
    (void)other;
    return hash_text(HASH_START,
                     frame_find_text(&side->view->dataset->results, side->view->row[i], COLUMN(id)));
}

static uint64_t axes_hash(const struct side *side, size_t i, const struct side *other)
{
    return hash_axes(side->view->dataset, side->view->row[i], other, NULL);
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

static void find_columns(struct side *side)
{
    const struct dataset *dataset = side->view->dataset;
    const struct frame *results = &dataset->results;
    for (size_t i = 0; i < side->view->rows; i++) {
        const char *kernel = frame_find_text(results, side->view->row[i], COLUMN(kernel));
        struct family_columns *family = find_family(side, kernel);
        if (!family) {
            side->family = memory_grow(side->family, side->families, &side->capacity, sizeof *side->family);
            family = &side->family[side->families++];
            *family = (struct family_columns){kernel,
                                              memory_new((size_t)results->columns + 1, sizeof *family->has)};
        }
        for (int c = 0; c < results->columns; c++)
            if (!family->has[c] && view_is_axis(dataset, c))
                family->has[c] =
                    !frame_is_missing(&results->column[c], *frame_cell(results, side->view->row[i], c));
    }
}

static struct side side_of(const struct view *view)
{
    struct side side = {.view = view, .partner = memory_new(view->rows + 1, sizeof *side.partner)};
    for (size_t i = 0; i < view->rows; i++)
        side.partner[i] = PAIRING_NONE;
    return side;
}

static void forget_columns(struct side *side)
{
    for (size_t f = 0; f < side->families; f++)
        free(side->family[f].has);
    free(side->family);
}

static bool has_unpaired(const struct side *side)
{
    for (size_t i = 0; i < side->view->rows; i++)
        if (side->partner[i] == PAIRING_NONE)
            return true;
    return false;
}

size_t *pairing_of(const struct view *a, const struct view *b)
{
    struct side first = side_of(a), second = side_of(b);
    pair_by(&first, &second, id_hash);
    if (has_unpaired(&first) &&
        has_unpaired(&second)) { /* which is rare, and looks at every cell of both files */
        find_columns(&first);
        find_columns(&second);
        pair_by(&first, &second, axes_hash);
    }
    forget_columns(&first);
    forget_columns(&second);
    free(second.partner);
    return first.partner;
}
