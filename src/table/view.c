#include "table/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "kernels/registry.h"

struct view view_new(const struct dataset *dataset, bool canaries)
{
    struct view view = {.dataset = dataset};
    view.row = memory_new(dataset->results.rows + 1, sizeof *view.row);
    for (size_t row = 0; row < dataset->results.rows; row++)
        if (canaries || dataset_is_point(dataset, row))
            view.row[view.rows++] = row;
    return view;
}

void view_free(struct view *view)
{
    free(view->row);
    free(view->column);
    *view = (struct view){0};
}

void view_keep(struct view *view, bool (*keep)(const struct view *, size_t row, void *context), void *context)
{
    size_t kept = 0;
    for (size_t i = 0; i < view->rows; i++)
        if (keep(view, view->row[i], context))
            view->row[kept++] = view->row[i];
    view->rows = kept;
}

/* ---- Columns ---- */

static int unknown_column(const struct frame *frame, const char *prefix, const char *name,
                          struct error *error)
{
    const char **known = memory_new((size_t)frame->columns + 1, sizeof *known);
    for (int i = 0; i < frame->columns; i++)
        known[i] = frame->column[i].name;
    const char *nearest = text_nearest(name, known);
    free(known);
    if (nearest)
        return error_set(error, ERROR_USAGE, "unknown column '%s%.80s' (did you mean '%s%s'?)", prefix, name,
                         prefix, nearest);
    /* over a hundred columns: point to a command instead of listing them */
    return error_set(
        error, ERROR_USAGE,
        "unknown column '%s%.80s'; `warpsweep table FILE.h5 --columns all --limit 0` names those "
        "that the file has",
        prefix, name);
}

int view_find(const struct dataset *dataset, const char *name, struct view_column *column,
              struct error *error)
{
    bool of_device = !strncmp(name, DEVICE_PREFIX, strlen(DEVICE_PREFIX));
    const struct frame *frame = of_device ? &dataset->devices : &dataset->results;
    name += of_device ? strlen(DEVICE_PREFIX) : 0;
    int index = frame_find(frame, name);
    if (index < 0)
        return unknown_column(frame, of_device ? DEVICE_PREFIX : "", name, error);
    *column = (struct view_column){.header = &frame->column[index], .index = index, .of_device = of_device};
    return 0;
}

int view_find_all(const struct dataset *dataset, const char *option, const char *list,
                  struct view_column **columns, struct error *error)
{
    int count = 0, failed = 0;
    char *copy = memory_text(list), *rest = copy, *name;
    *columns = memory_new(strlen(list) + 1, sizeof **columns);
    while (!failed && (name = strsep(&rest, ","))) {
        const bool descending = *name == '-';
        if (!*name)
            failed =
                error_set(error, ERROR_USAGE, "--%s '%.60s': a name is missing between commas", option, list);
        else
            failed = view_find(dataset, name + descending, &(*columns)[count], error);
        (*columns)[count++].descending = descending;
    }
    free(copy);
    return failed ? -1 : count;
}

void view_show(struct view *view, const char *name)
{
    const struct frame *results = &view->dataset->results;
    const int index = frame_find(results, name);
    for (int i = 0; i < view->columns && index >= 0; i++)
        if (view->column[i].header == &results->column[index])
            return;
    if (index < 0)
        return;
    view->column = memory_resize(view->column, (size_t)view->columns + 1, sizeof *view->column);
    view->column[view->columns++] = (struct view_column){&results->column[index], index, false, false};
}

/* ---- Cells ---- */

union cell view_cell(const struct dataset *dataset, size_t row, const struct view_column *column)
{
    if (!column->of_device)
        return *frame_cell(&dataset->results, row, column->index);
    int64_t device = dataset_device_of(dataset, row);
    return device < 0 ? frame_missing(column->header->type)
                      : *frame_cell(&dataset->devices, (size_t)device, column->index);
}

int view_compare_cells(const struct view_column *column, union cell a, union cell b)
{
    if (frame_is_missing(column->header, a) != frame_is_missing(column->header, b))
        return 2;
    if (column->header->type == COLUMN_INTEGER)
        return (a.integer > b.integer) - (a.integer < b.integer);
    if (column->header->type == COLUMN_TEXT)
        return strcmp(a.text, b.text);
    return (a.real > b.real) - (a.real < b.real);
}

int view_compare(const struct dataset *dataset, const struct view_column *column, size_t row, size_t other)
{
    return view_compare_cells(column, view_cell(dataset, row, column), view_cell(dataset, other, column));
}

/* ---- Order ---- */

struct order {
    const struct dataset *dataset;
    const struct view_column *column;
    int columns;
};

static int compare_rows(const void *a, const void *b, void *context)
{
    const struct order *order = context;
    size_t row = *(const size_t *)a, other = *(const size_t *)b;
    for (int i = 0; i < order->columns; i++) {
        const struct view_column *column = &order->column[i];
        union cell x = view_cell(order->dataset, row, column), y = view_cell(order->dataset, other, column);
        int missing = frame_is_missing(column->header, x) - frame_is_missing(column->header, y);
        int difference = missing ? missing : view_compare_cells(column, x, y);
        if (difference)
            return column->descending && !missing ? -difference : difference;
    }
    return (row > other) - (row < other);
}

void view_sort(struct view *view, const struct view_column *columns, int count)
{
    struct order order = {.dataset = view->dataset, .column = columns, .columns = count};
    qsort_r(view->row, view->rows, sizeof *view->row, compare_rows, &order);
}

/* ---- Points ---- */

static bool axis_of_cell(const struct axis *axis, const struct column *column, union cell cell,
                         int64_t *value)
{
    struct error ignored;
    if (frame_is_missing(column, cell))
        return true; /* an axis that the file's release did not have: its standard value */
    if (column->type == COLUMN_TEXT)
        return axis_parse(axis, cell.text, value, &ignored) == 0;
    *value = cell.integer;
    return column->type == COLUMN_INTEGER && axis_check(axis, *value, &ignored) == 0;
}

bool row_point(const struct frame *results, size_t row, struct point *point)
{
    const struct family *family = family_find(frame_find_text(results, row, COLUMN(kernel)));
    bool known = family != NULL;
    if (known)
        *point = point_standard(&family->space);
    for (int i = 0; known && i < family->space.count; i++) {
        int column = frame_find(results, family->space.axes[i].name);
        known = column < 0 || axis_of_cell(&family->space.axes[i], &results->column[column],
                                           *frame_cell(results, row, column), &point->value[i]);
    }
    return known;
}
