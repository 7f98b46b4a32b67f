#include "table/view.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "kernels/registry.h"

#define DEVICE_PREFIX "device."

struct view view_new(const struct dataset *dataset)
{
    struct view view = {.dataset = dataset, .rows = dataset->results.rows};
    view.row = memory_new(view.rows ? view.rows : 1, sizeof *view.row);
    for (size_t i = 0; i < view.rows; i++)
        view.row[i] = i;
    return view;
}

void view_free(struct view *view)
{
    free(view->row);
    free(view->column);
    *view = (struct view){0};
}

/* The cells of a pass are not needed again soon. Few rows may be in as many places of a long column as many are. */
static void leave(const struct view *view)
{
    enum { MANY = 1 << 14 };
    if (view->dataset->results.rows > MANY)
        frame_evict(&view->dataset->results);
}

void view_keep(struct view *view, bool (*keep)(const struct view *, size_t row, void *context), void *context)
{
    size_t kept = 0;
    leave(view);
    for (size_t i = 0; i < view->rows; i++)
        if (keep(view, view->row[i], context))
            view->row[kept++] = view->row[i];
    view->rows = kept;
}

static bool is_point(const struct view *view, size_t row, void *context)
{
    const int *repeat = context;
    return frame_cell(&view->dataset->results, row, *repeat)->integer == 0;
}

void view_keep_points(struct view *view)
{
    int repeat = frame_find(&view->dataset->results, COLUMN(repeat));
    if (repeat >= 0)
        view_keep(view, is_point, &repeat);
}

/* ---- Columns ---- */

static int unknown_column(const struct dataset *dataset, const char *name, struct error *error)
{
    const struct frame *results = &dataset->results, *devices = &dataset->devices;
    size_t count = (size_t)(results->columns + devices->columns);
    const char **known = memory_new(count + 1, sizeof *known);
    struct text *prefixed = memory_new(count + 1, sizeof *prefixed);
    for (int i = 0; i < results->columns; i++)
        known[i] = results->column[i].name;
    for (int i = 0; i < devices->columns; i++) {
        text_add(&prefixed[i], DEVICE_PREFIX "%s", devices->column[i].name);
        known[results->columns + i] = prefixed[i].data;
    }
    const char *nearest = text_nearest(name, known);
    if (nearest)
        error_set(error, ERROR_USAGE, "unknown column '%.80s' (did you mean '%s'?)", name, nearest);
    else /* over a hundred columns: point to a command instead of listing them */
        error_set(error, ERROR_USAGE,
                  "unknown column '%.80s'; `warpsweep table FILE.h5 --columns all --limit 0` names those "
                  "that the file has",
                  name);
    for (int i = 0; i < devices->columns; i++)
        text_free(&prefixed[i]);
    free(prefixed);
    free(known);
    return -1;
}

/* The words of status, stop, and of axes that have the same words in every family. */
static const char *const *words_of(const char *column)
{
    if (!strcmp(column, COLUMN(status)))
        return status_words;
    if (!strcmp(column, COLUMN(stop)))
        return stop_words;
    for (const struct family *const *family = families; *family; family++) {
        int axis = space_axis(&(*family)->space, column);
        if (axis >= 0 && (*family)->space.axes[axis].kind == AXIS_WORD && strcmp(column, "variant") != 0)
            return (*family)->space.axes[axis].words;
    }
    return NULL;
}

int view_find_column(const struct dataset *dataset, const char *name, struct view_column *column,
                     struct error *error)
{
    bool of_device = !strncmp(name, DEVICE_PREFIX, strlen(DEVICE_PREFIX));
    int index = of_device ? frame_find(&dataset->devices, name + strlen(DEVICE_PREFIX))
                          : frame_find(&dataset->results, name);
    if (index < 0)
        return unknown_column(dataset, name, error);
    *column = (struct view_column){.index = index, .of_device = of_device};
    column->words = of_device ? NULL : words_of(name);
    snprintf(column->name, sizeof column->name, "%s", name);
    return 0;
}

int view_add_column(struct view *view, const char *name, struct error *error)
{
    struct view_column column;
    if (view_find_column(view->dataset, name, &column, error) != 0)
        return -1;
    view->column = memory_resize(view->column, (size_t)view->columns + 1, sizeof *view->column);
    view->column[view->columns++] = column;
    return 0;
}

const struct column *view_header(const struct dataset *dataset, const struct view_column *column)
{
    return column->of_device ? &dataset->devices.column[column->index]
                             : &dataset->results.column[column->index];
}

union cell view_device_cell(const struct dataset *dataset, size_t row, const struct view_column *column)
{
    assert(row < dataset->results.rows && column->index >= 0);
    int64_t device = dataset_device_of(dataset, row);
    if (device < 0)
        return frame_missing(dataset->devices.column[column->index].type);
    return *frame_cell(&dataset->devices, (size_t)device, column->index);
}

bool view_is_axis(const struct dataset *dataset, int index)
{
    return dataset->results.column[index].role == ROLE_AXIS;
}

/* ---- Order ---- */

/* Known words by their place in the list, then all others alphabetically. */
static int compare_words(const char *const *words, const char *a, const char *b)
{
    for (; words && *words; words++) {
        if (!strcmp(*words, a))
            return strcmp(*words, b) != 0 ? -1 : 0;
        if (!strcmp(*words, b))
            return 1;
    }
    return strcmp(a, b);
}

static int compare_cells(enum column_type type, const char *const *words, union cell a, union cell b)
{
    switch (type) {
    case COLUMN_INTEGER:
        return (a.integer > b.integer) - (a.integer < b.integer);
    case COLUMN_REAL:
        if (isnan(a.real) || isnan(b.real))
            return !isnan(a.real) - !isnan(b.real);
        return (a.real > b.real) - (a.real < b.real);
    default:
        return a.text == b.text ? 0 : compare_words(words, a.text, b.text);
    }
}

int view_compare(const struct dataset *dataset, const struct view_column *column, size_t row, size_t other)
{
    return compare_cells(view_header(dataset, column)->type, column->words, view_cell(dataset, row, column),
                         view_cell(dataset, other, column));
}

struct order {
    const struct view_column *column;
    const struct column *header;
    int sign;
};

/* The cell is beside the row's number, because rows are far apart. */
struct sorted_row {
    size_t row;
    uint32_t place;
    union cell cell;
};

static int compare_rows(const void *a, const void *b, void *context)
{
    const struct order *order = context;
    const struct sorted_row *x = a, *y = b;
    int missing = frame_is_missing(order->header, x->cell) - frame_is_missing(order->header, y->cell);
    if (missing) /* last in either direction */
        return missing;
    int difference = order->sign * compare_cells(order->header->type, order->column->words, x->cell, y->cell);
    return difference ? difference : (x->place > y->place) - (x->place < y->place);
}

static bool is_sorted(const struct sorted_row *rows, size_t count, struct order *order)
{
    for (size_t i = 1; i < count; i++)
        if (compare_rows(&rows[i - 1], &rows[i], order) > 0)
            return false;
    return true;
}

void view_sort(struct view *view, const struct view_column *column, bool descending)
{
    struct order order = {column, view_header(view->dataset, column), descending ? -1 : 1};
    struct sorted_row *rows = memory_new(view->rows ? view->rows : 1, sizeof *rows);
    assert(view->rows <= UINT32_MAX);
    for (size_t i = 0; i < view->rows; i++)
        rows[i] =
            (struct sorted_row){view->row[i], (uint32_t)i, view_cell(view->dataset, view->row[i], column)};
    if (!is_sorted(rows, view->rows, &order))
        qsort_r(rows, view->rows, sizeof *rows, compare_rows, &order);
    for (size_t i = 0; i < view->rows; i++)
        view->row[i] = rows[i].row;
    free(rows);
    leave(view);
}

size_t view_distinct(const struct view *view, const struct view_column *column, size_t most)
{
    size_t *seen = memory_new(most ? most : 1, sizeof *seen), count = 0;
    for (size_t i = 0; i < view->rows && count < most; i++) {
        size_t k = 0;
        while (k < count && view_compare(view->dataset, column, view->row[i], seen[k]) != 0)
            k++;
        if (k == count)
            seen[count++] = view->row[i];
    }
    free(seen);
    leave(view);
    return count;
}
