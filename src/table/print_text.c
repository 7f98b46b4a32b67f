#include "table/print_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/memory.h"
#include "base/text.h"
#include "table/text_table.h"
#include "table/throttled.h"
#include "table/units.h"

#define DAGGER "†"

/* Values of axes are exact, as they are typed; what was measured is rounded. */
static void format_bytes(const struct column *column, int64_t bytes, char *out, size_t size)
{
    if (column->role == ROLE_AXIS)
        text_format_bytes(bytes, out, size);
    else
        text_format_bytes_short(bytes, out, size);
}

void print_human(const struct column *column, union cell cell, char *out, size_t size)
{
    const char *unit = column->unit;
    const struct unit *chosen = column->type == COLUMN_REAL ? units_choose(unit, cell.real) : NULL;
    if (frame_is_missing(column, cell))
        snprintf(out, size, "—");
    else if (column->type == COLUMN_TEXT)
        snprintf(out, size, "%s", cell.text);
    else if (column->type == COLUMN_INTEGER && !strcmp(unit, "bytes"))
        format_bytes(column, cell.integer, out, size);
    else if (column->type == COLUMN_INTEGER)
        snprintf(out, size, "%" PRId64, cell.integer);
    else if (!strcmp(unit, "s"))
        text_format_seconds(cell.real, out, size);
    else if (!strcmp(unit, "bytes") && fabs(cell.real) < 0x1p62 &&
             (column->role != ROLE_AXIS || cell.real == floor(cell.real)))
        format_bytes(column, llround(cell.real), out, size);
    else
        snprintf(out, size, "%.4g%s%s", cell.real / (chosen ? chosen->scale : 1), *unit ? " " : "",
                 chosen ? chosen->name : unit);
}

/* "4299 ± 4 GB/s" */
static void format_uncertain(double value, double half, const char *of, char *out, size_t size)
{
    char number[80];
    const struct unit *unit = units_choose(of, value);
    double scale = unit ? unit->scale : 1;
    units_format(value / scale, half / scale, number, sizeof number);
    snprintf(out, size, "%s%s%s", number, *of ? " " : "", unit ? unit->name : of);
}

/* The columns that hold the ends of a column's interval: those of a time's are its confidence interval's, any other's are called NAME_low and
 * NAME_high. False when it has none. */
static bool find_interval(const struct frame *frame, const char *name, int *low, int *high)
{
    char end[160];
    if (!strcmp(name, COLUMN(time_median))) {
        *low = frame_find(frame, COLUMN(time_ci_low));
        *high = frame_find(frame, COLUMN(time_ci_high));
    } else {
        snprintf(end, sizeof end, "%.144s_low", name);
        *low = frame_find(frame, end);
        snprintf(end, sizeof end, "%.144s_high", name);
        *high = frame_find(frame, end);
    }
    return *low >= 0 && *high >= 0 && frame->column[*low].type == COLUMN_REAL &&
           frame->column[*high].type == COLUMN_REAL;
}

static double half_width(const struct frame *frame, const char *name, size_t row)
{
    int low, high;
    if (!find_interval(frame, name, &low, &high))
        return NAN;
    return (frame_cell(frame, row, high)->real - frame_cell(frame, row, low)->real) / 2;
}

static double half_of(const struct view *view, const struct view_column *column, size_t row)
{
    return column->of_device ? NAN : half_width(&view->dataset->results, column->name, row);
}

/* Times, and what is divided by them, of a row whose clock was held down. */
static bool is_marked(const struct view *view, const struct view_column *shown, size_t row)
{
    const struct column *column = view_header(view->dataset, shown);
    return !shown->of_device && column->type == COLUMN_REAL &&
           (column->role == ROLE_TIME || column->role == ROLE_RATE) &&
           throttled_row(&view->dataset->results, row);
}

/* Is it the end of an interval whose middle is shown? 4299(4) has it already. */
static bool is_end(const struct view *view, int index)
{
    for (int i = 0; i < view->columns; i++) {
        int low, high;
        if (i != index && !view->column[i].of_device && !view->column[index].of_device &&
            find_interval(&view->dataset->results, view->column[i].name, &low, &high) &&
            (view->column[index].index == low || view->column[index].index == high))
            return true;
    }
    return false;
}

/* Is it a share that people read in percent? */
static bool is_share(const struct column *column)
{
    return column->type == COLUMN_REAL && !strncmp(column->name, "fraction_", strlen("fraction_"));
}

/* A cell in the unit that fits it, with its interval if `half` is known. Shares are in percent. */
static void format_cell(const struct column *column, union cell cell, double half, char *out, size_t size)
{
    char number[80];
    bool missing = frame_is_missing(column, cell);
    if (!missing && is_share(column)) {
        if (half > 0)
            units_format(100 * cell.real, 100 * half, number, sizeof number);
        else
            snprintf(number, sizeof number, "%.1f", 100 * cell.real);
        snprintf(out, size, "%s %%", number);
    } else if (half > 0 && column->type == COLUMN_REAL && !missing) {
        format_uncertain(cell.real, half, column->unit, out, size);
    } else {
        print_human(column, cell, out, size);
    }
}

static enum tone tone_of_cell(const struct column *column, union cell cell)
{
    if (frame_is_missing(column, cell))
        return TONE_QUIET;
    if (column->type == COLUMN_TEXT)
        return tone_of_word(cell.text);
    return is_share(column) ? tone_of_share(cell.real) : TONE_PLAIN;
}

/* Add a cell; returns whether it has a dagger. */
static bool add_cell(struct text_table *table, const struct view *view, const struct view_column *column,
                     size_t row)
{
    char text[1024], clean[1024];
    const struct column *header = view_header(view->dataset, column);
    union cell cell = view_cell(view->dataset, row, column);
    bool marked = is_marked(view, column, row) && !frame_is_missing(header, cell);
    format_cell(header, cell, half_of(view, column, row), text, sizeof text);
    clean_text(text, clean, sizeof clean);
    text_table_cell(table, tone_of_cell(header, cell), "%s%s", clean, marked ? DAGGER : "");
    return marked;
}

void print_text(FILE *out, const struct view *view)
{
    struct text_table table = {0};
    int *shown = memory_new((size_t)view->columns + 1, sizeof *shown), count = 0;
    bool marks = false;
    for (int i = 0; i < view->columns; i++) {
        if (is_end(view, i))
            continue;
        text_table_head(&table, view_header(view->dataset, &view->column[i])->type != COLUMN_TEXT,
                        view->column[i].name);
        shown[count++] = i;
    }
    for (size_t r = 0; r < view->rows; r++)
        for (int i = 0; i < count; i++)
            marks |= add_cell(&table, view, &view->column[shown[i]], view->row[r]);
    text_table_print(out, &table);
    if (marks)
        fprintf(out, "\n" DAGGER ": %s.\n", throttled_meaning);
    text_table_free(&table);
    free(shown);
}
