#include "cli/data/view.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/options.h"
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

void view_keep(struct view *view, bool (*keep)(const struct view *, size_t row, void *context), void *context)
{
    size_t kept = 0;
    for (size_t i = 0; i < view->rows; i++)
        if (keep(view, view->row[i], context))
            view->row[kept++] = view->row[i];
    view->rows = kept;
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
    options_unknown(error, "column", name, known);
    for (int i = 0; i < devices->columns; i++)
        text_free(&prefixed[i]);
    free(prefixed);
    free(known);
    return -1;
}

/* The words of an axis that every family has the same, and of status and stop. */
static const char *const *words_of(const char *column)
{
    if (!strcmp(column, "status"))
        return status_words;
    if (!strcmp(column, "stop"))
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

union cell view_cell(const struct dataset *dataset, size_t row, const struct view_column *column)
{
    if (!column->of_device)
        return frame_row(&dataset->results, row)[column->index];
    int link = frame_find(&dataset->results, "device");
    int64_t device = link < 0 ? -1 : frame_row(&dataset->results, row)[link].integer;
    if (device < 0 || (uint64_t)device >= dataset->devices.rows)
        return frame_missing(dataset->devices.column[column->index].type);
    return frame_row(&dataset->devices, (size_t)device)[column->index];
}

bool view_is_axis(const struct dataset *dataset, int index)
{
    return dataset->results.column[index].role == ROLE_AXIS;
}

/* ---- Order ---- */

/* Known words by their place in the list, then all others by their letters. */
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

int view_compare(const struct dataset *dataset, const struct view_column *column, size_t row, size_t other)
{
    union cell a = view_cell(dataset, row, column), b = view_cell(dataset, other, column);
    switch (view_header(dataset, column)->type) {
    case COLUMN_INTEGER:
        return (a.integer > b.integer) - (a.integer < b.integer);
    case COLUMN_REAL:
        if (isnan(a.real) || isnan(b.real))
            return !isnan(a.real) - !isnan(b.real);
        return (a.real > b.real) - (a.real < b.real);
    default:
        return a.text == b.text ? 0 : compare_words(column->words, a.text, b.text);
    }
}

struct order {
    const struct dataset *dataset;
    const struct view_column *column;
};

struct sorted_row {
    size_t row, place;
};

static int compare_rows(const void *a, const void *b, void *context)
{
    const struct order *order = context;
    const struct sorted_row *x = a, *y = b;
    int difference = view_compare(order->dataset, order->column, x->row, y->row);
    return difference ? difference : (x->place > y->place) - (x->place < y->place);
}

void view_sort(struct view *view, const struct view_column *column)
{
    struct order order = {view->dataset, column};
    struct sorted_row *rows = memory_new(view->rows ? view->rows : 1, sizeof *rows);
    for (size_t i = 0; i < view->rows; i++)
        rows[i] = (struct sorted_row){view->row[i], i};
    qsort_r(rows, view->rows, sizeof *rows, compare_rows, &order);
    for (size_t i = 0; i < view->rows; i++)
        view->row[i] = rows[i].row;
    free(rows);
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
    return count;
}

/* ---- Filters ---- */

#define WHERE_VALUES_MAX 256

struct condition {
    struct view_column column;
    union cell value[WHERE_VALUES_MAX];
    int values;
};

static bool keep_matching(const struct view *view, size_t row, void *context)
{
    const struct condition *condition = context;
    union cell cell = view_cell(view->dataset, row, &condition->column);
    enum column_type type = view_header(view->dataset, &condition->column)->type;
    for (int i = 0; i < condition->values; i++) {
        union cell wanted = condition->value[i];
        if (type == COLUMN_TEXT   ? !strcmp(cell.text, wanted.text)
            : type == COLUMN_REAL ? cell.real == wanted.real || (isnan(cell.real) && isnan(wanted.real))
                                  : cell.integer == wanted.integer)
            return true;
    }
    return false;
}

/* The words that a text column may hold: those in the file, and those of the installed kernels. */
static bool word_is_known(const struct dataset *dataset, const struct view_column *column, const char *word)
{
    for (size_t row = 0; row < dataset->results.rows; row++)
        if (!strcmp(view_cell(dataset, row, column).text, word))
            return true;
    for (const struct family *const *family = families; *family; family++) {
        int axis = space_axis(&(*family)->space, column->name);
        int64_t value;
        struct error ignored;
        if (axis >= 0 && axis_parse(&(*family)->space.axes[axis], word, &value, &ignored) == 0)
            return true;
    }
    const char *const *words = words_of(column->name);
    for (; words && *words; words++)
        if (!strcmp(*words, word))
            return true;
    return false;
}

static int unknown_word(const struct dataset *dataset, const struct view_column *column, const char *word,
                        struct error *error)
{
    enum { SHOWN = 64 };
    const char *known[SHOWN + 1];
    int count = 0;
    const char *const *words = words_of(column->name);
    for (; words && *words && count < SHOWN; words++)
        known[count++] = *words;
    for (size_t row = 0; row < dataset->results.rows && count < SHOWN; row++) {
        const char *text = view_cell(dataset, row, column).text;
        int k = 0;
        while (k < count && strcmp(known[k], text) != 0)
            k++;
        if (k == count && *text)
            known[count++] = text;
    }
    known[count] = NULL;
    char what[192];
    snprintf(what, sizeof what, "value of %s", column->name);
    return options_unknown(error, what, word, known);
}

static int parse_value(const struct dataset *dataset, const struct view_column *column, const char *text,
                       union cell *value, struct error *error)
{
    char *end;
    switch (view_header(dataset, column)->type) {
    case COLUMN_TEXT:
        value->text = text;
        if (word_is_known(dataset, column, text))
            return 0;
        return unknown_word(dataset, column, text, error);
    case COLUMN_INTEGER:
        if (!text_parse_integer(text, &value->integer) && !text_parse_bytes(text, &value->integer))
            return error_set(error, ERROR_USAGE, "%s is a whole number, as 4 or 64MiB, not '%.40s'",
                             column->name, text);
        return 0;
    default:
        value->real = strtod(text, &end);
        if (end == text || *end)
            return error_set(error, ERROR_USAGE, "%s is a number, not '%.40s'", column->name, text);
        return 0;
    }
}

int view_keep_where(struct view *view, const char *where, struct error *error)
{
    struct condition condition = {.values = 0};
    int failed = -1;
    char *text = memory_text(where), *equals = strchr(text, '='), *rest = NULL;
    if (!equals || equals == text || !equals[1]) {
        error_set(error, ERROR_USAGE,
                  "'%.80s' is not a condition; expected column=value or column=value,value", where);
        goto out;
    }
    *equals = '\0';
    if (view_find_column(view->dataset, text, &condition.column, error) != 0)
        goto out;
    for (char *value = strtok_r(equals + 1, ",", &rest); value; value = strtok_r(NULL, ",", &rest)) {
        if (condition.values == WHERE_VALUES_MAX) {
            error_set(error, ERROR_USAGE, "more than %d values in one condition on %s", WHERE_VALUES_MAX,
                      text);
            goto out;
        }
        if (parse_value(view->dataset, &condition.column, value, &condition.value[condition.values++],
                        error) != 0)
            goto out;
    }
    view_keep(view, keep_matching, &condition);
    failed = 0;
out:
    free(text);
    return failed;
}

static bool keep_kernel(const struct view *view, size_t row, void *context)
{
    int column = frame_find(&view->dataset->results, "kernel");
    return !strcmp(frame_row(&view->dataset->results, row)[column].text, context);
}

int view_keep_kernel(struct view *view, const char *kernel, struct error *error)
{
    struct view_column column = {0};
    size_t before = view->rows;
    if (view_find_column(view->dataset, "kernel", &column, error) != 0)
        return -1;
    if (before && !word_is_known(view->dataset, &column, kernel) && !family_find(kernel))
        return unknown_word(view->dataset, &column, kernel, error);
    char *wanted = memory_text(kernel);
    view_keep(view, keep_kernel, wanted);
    free(wanted);
    return 0;
}
