#include "figure/tables/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "core/dtype.h"
#include "table/print_text.h"

/* The sorted distinct values of an axis. */
struct values {
    int column;
    union cell *value; /* owned */
    int count;
};

/* Bits of an element; 0 if the word is no data type. */
static size_t size_of_dtype(const char *word)
{
    for (int type = 0; type < DTYPE_COUNT; type++)
        if (!strcmp(dtype_words[type], word))
            return dtype_bits((enum dtype)type);
    return 0;
}

static int compare_cells(const struct column *column, union cell a, union cell b)
{
    if (!strcmp(column->name, COLUMN(dtype))) {
        size_t x = size_of_dtype(a.text), y = size_of_dtype(b.text);
        if (x != y)
            return x > y ? 1 : -1;
    }
    if (column->type == COLUMN_TEXT)
        return strcmp(a.text, b.text);
    if (column->type == COLUMN_INTEGER)
        return (a.integer > b.integer) - (a.integer < b.integer);
    return (a.real > b.real) - (a.real < b.real);
}

/* The position of the value, or where it would be inserted: `found` distinguishes these. */
static int find(const struct frame *frame, const struct values *values, union cell cell, bool *found)
{
    int at = 0;
    *found = false;
    for (; at < values->count; at++) {
        int order = compare_cells(&frame->column[values->column], values->value[at], cell);
        *found = order == 0;
        if (order >= 0)
            break;
    }
    return at;
}

static bool has_both(const struct frame *frame, size_t row, const struct values *axis)
{
    for (int i = 0; i < 2; i++)
        if (frame_is_missing(&frame->column[axis[i].column], *frame_cell(frame, row, axis[i].column)))
            return false;
    return true;
}

static void collect(const struct frame *frame, struct values *axis)
{
    for (size_t row = 0; row < frame->rows; row++)
        for (int i = 0; i < 2 && has_both(frame, row, axis); i++) {
            bool found;
            union cell cell = *frame_cell(frame, row, axis[i].column);
            int at = find(frame, &axis[i], cell, &found);
            if (found)
                continue;
            axis[i].value = memory_resize(axis[i].value, (size_t)axis[i].count + 1, sizeof *axis[i].value);
            memmove(&axis[i].value[at + 1], &axis[i].value[at],
                    (size_t)(axis[i].count++ - at) * sizeof *axis[i].value);
            axis[i].value[at] = cell;
        }
}

/* The row of a cell; added if new. */
static size_t row_of_cell(struct frame *cells, const char *kernel, const char *source, int x, int y)
{
    static const char *const reals[] = {COLUMN(across), COLUMN(up), COLUMN(speedup), COLUMN(points)};
    static const char *const texts[] = {COLUMN(kernel), COLUMN(across_name), COLUMN(up_name), COLUMN(status),
                                        MERGE_GROUP};
    for (size_t row = 0; row < cells->rows; row++)
        if (!strcmp(frame_find_text(cells, row, COLUMN(kernel)), kernel) &&
            !strcmp(frame_find_text(cells, row, MERGE_GROUP), source) &&
            frame_find_real(cells, row, COLUMN(across)) == x && frame_find_real(cells, row, COLUMN(up)) == y)
            return row;
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        frame_add_column(cells, reals[i], COLUMN_REAL, ROLE_OTHER, "", "");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        frame_add_column(cells, texts[i], COLUMN_TEXT, ROLE_OTHER, "", "");
    int repeat = frame_add_column(cells, COLUMN(repeat), COLUMN_INTEGER, ROLE_IDENTITY, "", "");
    frame_add_row(cells);
    size_t row = cells->rows - 1;
    frame_put_integer(cells, row, repeat, 0);
    frame_put_text(cells, row, frame_find(cells, COLUMN(kernel)), kernel);
    frame_put_text(cells, row, frame_find(cells, MERGE_GROUP), source);
    frame_put_text(cells, row, frame_find(cells, COLUMN(status)), status_words[STATUS_OK]);
    frame_put_real(cells, row, frame_find(cells, COLUMN(across)), x);
    frame_put_real(cells, row, frame_find(cells, COLUMN(up)), y);
    frame_put_real(cells, row, frame_find(cells, COLUMN(speedup)),
                   0); /* until the end the sum of the logarithms */
    frame_put_real(cells, row, frame_find(cells, COLUMN(points)), 0);
    return row;
}

static void add_point(const struct frame *ratios, size_t row, const struct values *axis, struct frame *cells)
{
    static const char *const names[] = {COLUMN(across_name), COLUMN(up_name)};
    int at[2];
    for (int i = 0; i < 2; i++) {
        bool found;
        at[i] = find(ratios, &axis[i], *frame_cell(ratios, row, axis[i].column), &found);
    }
    int kernel = frame_find(ratios, COLUMN(kernel)); /* a panel per family, unless families are an axis */
    bool one = axis[0].column == kernel || axis[1].column == kernel;
    size_t cell = row_of_cell(cells, one ? "all families" : frame_cell(ratios, row, kernel)->text,
                              frame_find_text(ratios, row, MERGE_GROUP), at[0], at[1]);
    for (int i = 0; i < 2; i++) {
        char word[64];
        print_human(&ratios->column[axis[i].column], *frame_cell(ratios, row, axis[i].column), word,
                    sizeof word);
        frame_put_text(cells, cell, frame_find(cells, names[i]), word);
    }
    int sum = frame_find(cells, COLUMN(speedup)), points = frame_find(cells, COLUMN(points));
    frame_put_real(cells, cell, sum,
                   frame_cell(cells, cell, sum)->real + log(frame_find_real(ratios, row, COLUMN(speedup))));
    frame_put_real(cells, cell, points, frame_cell(cells, cell, points)->real + 1);
}

int heat_of(const struct frame *ratios, const char *axes, struct frame *cells, struct error *error)
{
    char *copy = memory_text(axes), *second = strchr(copy, ',');
    struct values axis[2] = {{.column = -1}, {.column = -1}};
    if (second)
        *second++ = '\0';
    axis[0].column = frame_find(ratios, copy);
    axis[1].column = second ? frame_find(ratios, second) : -1;
    free(copy);
    if (axis[0].column < 0 || axis[1].column < 0 || axis[0].column == axis[1].column)
        return error_set(error, ERROR_USAGE, "--heat %s: expected two axes of points that both files have",
                         axes);
    collect(ratios, axis);
    for (size_t row = 0; row < ratios->rows; row++)
        if (has_both(ratios, row, axis) && frame_find_real(ratios, row, COLUMN(speedup)) > 0)
            add_point(ratios, row, axis, cells);
    for (size_t row = 0; row < cells->rows; row++)
        frame_put_real(
            cells, row, frame_find(cells, COLUMN(speedup)),
            exp(frame_find_real(cells, row, COLUMN(speedup)) / frame_find_real(cells, row, COLUMN(points))));
    free(axis[0].value);
    free(axis[1].value);
    if (!cells->rows)
        return error_set(error, ERROR_USAGE, "--heat %s: no point of both files has both axes", axes);
    return 0;
}
