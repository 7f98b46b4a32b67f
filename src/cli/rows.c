#include "cli/command.h"

#include "kernels/registry.h"

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
