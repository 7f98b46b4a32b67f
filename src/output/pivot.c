#include "output/pivot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "output/heads.h"
#include "output/print.h"

enum part { ROWS, COLS, VALUE, PARTS };
static const char *const part_words[] = {"rows", "cols", "value", NULL};

/* "rows=NAME,cols=NAME,value=NAME", in any order. */
static int read_parts(const struct dataset *dataset, const char *words, struct view_column part[PARTS],
                      struct error *error)
{
    char *copy = memory_text(words), *rest = NULL;
    bool given[PARTS] = {false};
    int failed = 0;
    for (char *one = strtok_r(copy, ",", &rest); one && !failed; one = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(one, '=');
        if (equals)
            *equals = '\0';
        int which = text_find(part_words, one);
        if (!equals || which < 0)
            failed =
                error_set(error, ERROR_USAGE,
                          "'%.80s': '%.40s' is no part of a pivot; expected rows=NAME,cols=NAME,value=NAME",
                          words, one);
        else
            failed = view_find_column(dataset, equals + 1, &part[which], error);
        given[failed ? 0 : which] = true;
    }
    free(copy);
    for (int i = 0; i < PARTS && !failed; i++)
        if (!given[i])
            failed =
                error_set(error, ERROR_USAGE, "'%.80s' lacks %s=; expected rows=NAME,cols=NAME,value=NAME",
                          words, part_words[i]);
    return failed;
}

/* The rows of the view, one for each value of a column, in its order; returns how many. The caller frees them. */
static size_t distinct_rows(const struct view *view, const struct view_column *column, size_t **rows)
{
    struct view sorted = view_copy(view);
    view_sort(&sorted, column, false);
    size_t count = 0;
    for (size_t i = 0; i < sorted.rows; i++)
        if (!count || view_compare(view->dataset, column, sorted.row[count - 1], sorted.row[i]) != 0)
            sorted.row[count++] = sorted.row[i];
    *rows = sorted.row;
    sorted.row = NULL;
    view_free(&sorted);
    return count;
}

static size_t find_value(const struct dataset *dataset, const struct view_column *column, const size_t *rows,
                         size_t count, size_t row)
{
    size_t low = 0, high = count;
    while (low + 1 < high) {
        size_t middle = (low + high) / 2;
        if (view_compare(dataset, column, rows[middle], row) <= 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The kernels of the view: "add, copy, gather ...". Returns their number. */
static size_t list_kernels(const struct view *view, struct text *list)
{
    enum { SHOWN = 4 };
    struct view_column kernel = {.index = frame_find(&view->dataset->results, COLUMN(kernel))};
    size_t *rows = NULL, count = kernel.index < 0 ? 0 : distinct_rows(view, &kernel, &rows);
    for (size_t i = 0; i < count && i < SHOWN; i++)
        text_add(list, "%s%s", i ? ", " : "", view_cell(view->dataset, rows[i], &kernel).text);
    text_add(list, "%s", count > SHOWN ? " ..." : "");
    free(rows);
    return count;
}

/* What two rows of one cell differ in. Rows of several kernels differ in the axes of each; only the choice of a kernel
 * helps. */
static int ambiguous(const struct view *view, const struct view_column part[PARTS], size_t a, size_t b,
                     struct error *error)
{
    const struct frame *results = &view->dataset->results;
    struct text differ = {0}, kernels = {0};
    bool by_kernel = !strcmp(part[ROWS].name, COLUMN(kernel)) || !strcmp(part[COLS].name, COLUMN(kernel));
    size_t count = list_kernels(view, &kernels);
    for (int i = 0; i < results->columns; i++) {
        struct view_column column = {.index = i};
        bool counts =
            results->column[i].role == ROLE_AXIS || !strcmp(results->column[i].name, COLUMN(repeat));
        if (counts && view_compare(view->dataset, &column, a, b) != 0)
            text_add(&differ, "%s%s", differ.length ? ", " : "", results->column[i].name);
    }
    if (count > 1 && !by_kernel)
        error_set(error, ERROR_USAGE,
                  "several rows for one %s and %s, of %zu kernels (%s); choose one with --kernel",
                  part[ROWS].name, part[COLS].name, count, kernels.data);
    else
        error_set(error, ERROR_USAGE,
                  "several rows of %s for one %s and %s: they differ in %s; choose one with --where",
                  frame_find_text(results, a, COLUMN(kernel)), part[ROWS].name, part[COLS].name,
                  differ.length ? differ.data : "nothing that is swept");
    text_free(&differ);
    text_free(&kernels);
    return -1;
}

static void name_column(const struct dataset *dataset, const struct view_column *column, size_t row,
                        char *out, size_t size)
{
    char text[96];
    const struct column *header = view_header(dataset, column);
    print_human(header, view_cell(dataset, row, column), text, sizeof text);
    if (header->type == COLUMN_TEXT)
        snprintf(out, size, "%s", text);
    else
        snprintf(out, size, "%.30s=%s", column->name, text);
}

/* The ends of a value's interval; of a rate or a share those of the time that it is divided by. NaN: there is none. */
static void ends_of(const struct dataset *dataset, const struct view_column *value, size_t row,
                    double ends[2])
{
    const struct frame *frame = &dataset->results;
    const struct column *column = view_header(dataset, value);
    double own = column->type == COLUMN_REAL ? view_cell(dataset, row, value).real : NAN;
    double median = frame_find_real(frame, row, COLUMN(time_median));
    int low, high;
    ends[0] = ends[1] = NAN;
    if (value->of_device)
        return;
    if (heads_interval(frame, value->name, &low, &high)) {
        ends[0] = frame_cell(frame, row, low)->real;
        ends[1] = frame_cell(frame, row, high)->real;
    } else if (column->role == ROLE_RATE) {
        ends[0] = own * median / frame_find_real(frame, row, COLUMN(time_ci_high));
        ends[1] = own * median / frame_find_real(frame, row, COLUMN(time_ci_low));
    }
}

/* Whether any row of the view has an interval. */
static bool is_uncertain(const struct view *view, const struct view_column *value)
{
    for (size_t i = 0; i < view->rows; i++) {
        double ends[2];
        ends_of(view->dataset, value, view->row[i], ends);
        if (ends[0] < ends[1])
            return true;
    }
    return false;
}

static int fill_cells(const struct view *view, const struct view_column part[PARTS], const size_t *rows,
                      size_t row_count, const size_t *cols, size_t col_count, int each, struct frame *out,
                      struct error *error)
{ /* each: columns of a value */
    size_t *taken = memory_new(row_count * col_count, sizeof *taken);
    int failed = 0;
    for (size_t i = 0; i < view->rows && !failed; i++) {
        size_t row = view->row[i];
        size_t r = find_value(view->dataset, &part[ROWS], rows, row_count, row);
        size_t c = find_value(view->dataset, &part[COLS], cols, col_count, row);
        if (taken[r * col_count + c]) {
            failed = ambiguous(view, part, taken[r * col_count + c] - 1, row, error);
        } else {
            taken[r * col_count + c] = row + 1;
            int first = 1 + (int)c * each;
            double ends[2];
            frame_put(out, r, first, view_header(view->dataset, &part[VALUE]),
                      view_cell(view->dataset, row, &part[VALUE]));
            ends_of(view->dataset, &part[VALUE], row, ends);
            for (int e = 1; e < each; e++)
                frame_put_real(out, r, first + e, ends[e - 1]);
        }
    }
    free(taken);
    return failed;
}

static void add_columns(const struct view *view, const struct view_column part[PARTS], const size_t *cols,
                        size_t count, int each, struct frame *out)
{
    const struct column *side = view_header(view->dataset, &part[ROWS]),
                        *value = view_header(view->dataset, &part[VALUE]);
    frame_add_column(out, part[ROWS].name, side->type, ROLE_AXIS, side->unit, side->meaning);
    for (size_t c = 0; c < count; c++) {
        char name[128], end[144];
        name_column(view->dataset, &part[COLS], cols[c], name, sizeof name);
        frame_add_column(out, name, value->type, value->role, value->unit, value->meaning);
        for (int e = 1; e < each; e++) {
            snprintf(end, sizeof end, "%s_%s", name, e == 1 ? "low" : "high");
            frame_add_column(out, end, COLUMN_REAL, value->role, value->unit, "end of the 95 % interval");
        }
    }
}

/* Does the row have the axes of both sides? Kernels without them have no place in the table. */
static bool has_sides(const struct view *view, size_t row, void *context)
{
    const struct view_column *part = context;
    for (int i = ROWS; i <= COLS; i++) {
        const struct column *column = view_header(view->dataset, &part[i]);
        if (column->role == ROLE_AXIS && frame_is_missing(column, view_cell(view->dataset, row, &part[i])))
            return false;
    }
    return true;
}

int pivot_make(struct view *view, const char *words, struct dataset *pivot, struct error *error)
{
    struct view_column part[PARTS] = {0};
    *pivot = (struct dataset){.results = frame_new(), .devices = frame_new()};
    if (read_parts(view->dataset, words, part, error) != 0)
        return -1;
    size_t before = view->rows;
    view_keep(view, has_sides, part);
    if (before && !view->rows)
        return error_set(error, ERROR_USAGE, "no row has both %s and %s", part[ROWS].name, part[COLS].name);
    size_t *rows = NULL, *cols = NULL;
    size_t row_count = distinct_rows(view, &part[ROWS], &rows);
    size_t col_count = distinct_rows(view, &part[COLS], &cols);
    struct frame *out = &pivot->results;
    int each = is_uncertain(view, &part[VALUE]) ? 3 : 1;
    add_columns(view, part, cols, col_count, each, out);
    for (size_t r = 0; r < row_count; r++) {
        frame_add_row(out);
        frame_put(out, r, 0, view_header(view->dataset, &part[ROWS]),
                  view_cell(view->dataset, rows[r], &part[ROWS]));
    }
    int failed = view->rows ? fill_cells(view, part, rows, row_count, cols, col_count, each, out, error) : 0;
    free(rows);
    free(cols);
    return failed;
}
