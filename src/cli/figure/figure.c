#include "cli/figure/figure.h"

#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/data/print.h"
#include "cli/data/where.h"
#include "cli/figure/tables.h"

#define FIGURE_FILE_LIMIT (1u << 20)

/* ---- The directives ---- */

static bool is_named(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

static int split(char *value, const char *names[FIGURE_NAMES_MAX + 1])
{
    int count = 0;
    char *rest = NULL;
    while (names[count])
        count++;
    for (char *word = strtok_r(value, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        if (count == FIGURE_NAMES_MAX)
            return -1;
        names[count++] = word;
    }
    return 0;
}

/* One "KEY VALUE" line. */
static int read_directive(struct figure *figure, char *line)
{
    char *key = line + strspn(line, " \t");
    char *end = key + strcspn(key, " \t");
    char *value = end + strspn(end, " \t");
    *end = '\0';
    if (!strcmp(key, "title"))
        figure->title = value;
    else if (!strcmp(key, "kernel"))
        figure->kernel = value;
    else if (!strcmp(key, "x"))
        figure->x = value;
    else if (!strcmp(key, "baseline"))
        figure->baseline = value;
    else if (!strcmp(key, "table") && is_named(figure_tables, value))
        figure->table = value;
    else if (!strcmp(key, "where"))
        return split(value, figure->where);
    else if (!strcmp(key, "series"))
        return split(value, figure->series);
    else if (!strcmp(key, "columns"))
        return split(value, figure->columns);
    else if (!strcmp(key, "state"))
        return split(value, figure->state);
    else
        return -1;
    return 0;
}

int figure_read(const char *path, struct figure *figure, struct error *error)
{
    size_t size;
    const char *slash = strrchr(path, '/');
    *figure = (struct figure){.text = io_read_file(path, FIGURE_FILE_LIMIT, &size, error)};
    if (!figure->text)
        return -1;
    figure->path = memory_text(path);
    figure->name = memory_text(slash ? slash + 1 : path);
    figure->name[strlen(figure->name) - strlen(".gp")] = '\0';
    char *line = figure->text;
    for (int number = 1; line; number++) {
        char *next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (!strncmp(line, "#:", 2) && read_directive(figure, line + 2) != 0) {
            error_set(error, ERROR_ENVIRONMENT,
                      "%s:%d: unknown directive; a figure has title, kernel, where, x, series, columns, "
                      "state, baseline and table",
                      path, number);
            figure_free(figure);
            return -1;
        }
        line = next;
    }
    if (figure->title && figure->kernel && figure->x && figure->series[0])
        return 0;
    error_set(error, ERROR_ENVIRONMENT, "%s: a figure has to say its title, kernel, x and series", path);
    figure_free(figure);
    return -1;
}

void figure_free(struct figure *figure)
{
    free(figure->path);
    free(figure->name);
    free(figure->text);
    *figure = (struct figure){0};
}

/* ---- The rows ---- */

static bool keep_measured(const struct view *view, size_t row, void *context)
{
    const int *column = context; /* status, repeat */
    const union cell *cell = frame_row(&view->dataset->results, row);
    return !strcmp(cell[column[0]].text, status_words[STATUS_OK]) && cell[column[1]].integer == 0;
}

static int keep_rows(const struct figure *figure, struct view *view, struct error *why)
{
    const struct frame *results = &view->dataset->results;
    int column[2] = {frame_find(results, "status"), frame_find(results, "repeat")};
    if (column[0] < 0 || column[1] < 0)
        return error_set(why, ERROR_ENVIRONMENT, "the file has no status or repeat column");
    view_keep(view, keep_measured, column);
    if (strcmp(figure->kernel, "*") != 0 && where_keep_kernel(view, figure->kernel, why) != 0)
        return -1;
    if (!view->rows)
        return error_set(why, ERROR_USAGE, "no point of %s was measured", figure->kernel);
    for (int i = 0; figure->where[i]; i++) {
        if (where_keep_one(view, figure->where[i], why) != 0)
            return -1;
        if (!view->rows)
            return error_set(why, ERROR_USAGE, "no measured point has %s", figure->where[i]);
    }
    return 0;
}

struct pin {
    const struct view_column *column;
    size_t row;              /* whose value is kept */
    const struct view *free; /* rows that stay whatever their value is; ascending */
};

static int compare_rows(const void *a, const void *b)
{
    const size_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool holds(const struct view *ascending, size_t row)
{
    return ascending->rows && bsearch(&row, ascending->row, ascending->rows, sizeof row, compare_rows);
}

static bool keep_pinned(const struct view *view, size_t row, void *context)
{
    const struct pin *pin = context;
    return view_compare(view->dataset, pin->column, row, pin->row) == 0 || holds(pin->free, row);
}

static bool is_not_free(const struct view *view, size_t row, void *context)
{
    const struct view *baseline = context;
    (void)view;
    return !holds(baseline, row);
}

static struct view copy_of(const struct view *view)
{
    struct view copy = {.dataset = view->dataset, .rows = view->rows};
    copy.row = memory_new(view->rows ? view->rows : 1, sizeof *copy.row);
    memcpy(copy.row, view->row, view->rows * sizeof *copy.row);
    return copy;
}

/* How many values of x there are among the rows that have `row`'s value of the column. */
static size_t points_along_x(const struct view *view, struct pin *pin, const struct view_column *x)
{
    struct view part = copy_of(view);
    view_keep(&part, keep_pinned, pin);
    size_t points = view_distinct(&part, x, 1000);
    view_free(&part);
    return points;
}

static void state(struct text *conditions, const struct view *view, const struct view_column *column)
{
    char value[128];
    print_human(view_header(view->dataset, column), view_cell(view->dataset, view->row[0], column), value,
                sizeof value);
    text_add(conditions, "%s%s %s", conditions->length ? ", " : "", column->name, value);
}

/* Keep the rows of one value of an axis, and those of the baseline, if that has only one value of it. The
 * rows are sorted by the axis first, so that among equals the last, larger value stays. */
static void pin_axis(struct view *view, const struct view *baseline, const struct view_column *column,
                     const struct view_column *x, struct text *conditions)
{
    static const struct view nothing = {0};
    const struct view *free_rows = view_distinct(baseline, column, 2) < 2 ? baseline : &nothing;
    struct view bound = copy_of(view);
    size_t most = 0;
    view_keep(&bound, is_not_free, (void *)free_rows);
    if (view_distinct(&bound, column, 2) > 1) {
        struct pin best = {column, bound.row[0], &nothing};
        view_sort(&bound, column, false);
        for (size_t i = 0; i < bound.rows; i++) {
            struct pin pin = {column, bound.row[i], &nothing};
            if (i && view_compare(view->dataset, column, bound.row[i - 1], bound.row[i]) == 0)
                continue;
            size_t points = points_along_x(&bound, &pin, x);
            if (points >= most) {
                most = points;
                best.row = pin.row;
            }
        }
        best.free = free_rows;
        view_keep(view, keep_pinned, &best);
        view_keep(&bound, keep_pinned, &best);
    }
    if (bound.rows)
        state(conditions, &bound, column);
    view_free(&bound);
}

static int pin_axes(const struct figure *figure, struct view *view, const struct view_column *x,
                    struct text *conditions, struct error *why)
{
    const struct frame *results = &view->dataset->results;
    struct view baseline = copy_of(view);
    int failed = 0;
    if (!view_is_axis(view->dataset, x->index)) { /* one quantity against another: every row is a dot */
        view_free(&baseline);
        return 0;
    }
    if (figure->baseline)
        failed = where_keep_one(&baseline, figure->baseline, why);
    else
        baseline.rows = 0;
    if (baseline.rows)
        qsort(baseline.row, baseline.rows, sizeof *baseline.row, compare_rows);
    for (int i = 0; i < results->columns && !failed; i++) {
        const char *name = results->column[i].name;
        struct view_column column = {.index = i};
        if (!view_is_axis(view->dataset, i) || !strcmp(name, figure->x) || is_named(figure->series, name))
            continue;
        snprintf(column.name, sizeof column.name, "%s", name);
        if (view_distinct(view, &column, 2) > 1 || is_named(figure->state, name))
            pin_axis(view, &baseline, &column, x, conditions);
    }
    view_free(&baseline);
    return failed;
}

/* ---- The curves ---- */

static int add_columns(const struct figure *figure, struct view *view, struct error *why)
{
    if (view_add_column(view, figure->x, why) != 0)
        return -1;
    for (int i = 0; figure->series[i]; i++)
        if (view_add_column(view, figure->series[i], why) != 0)
            return -1;
    for (int i = 0; figure->columns[i]; i++)
        if (!is_named(figure->series, figure->columns[i]) && strcmp(figure->x, figure->columns[i]) != 0 &&
            view_add_column(view, figure->columns[i], why) != 0)
            return -1;
    return 0;
}

/* The values of the series' axes that vary in the figure: "load f32", or just "f32" when all are loads. */
static void label_row(const struct figure *figure, const struct view *view, size_t row, char *out,
                      size_t size)
{
    size_t length = 0;
    *out = '\0';
    for (int i = 0; figure->series[i]; i++) {
        const struct view_column *column = &view->column[1 + i];
        char value[96];
        if (view_distinct(view, column, 2) < 2)
            continue;
        print_human(view_header(view->dataset, column), view_cell(view->dataset, row, column), value,
                    sizeof value);
        length += (size_t)snprintf(out + length, size - length, "%s%s", length ? " " : "", value);
        if (length >= size)
            return;
    }
    if (!length) {
        const struct view_column *last = &view->column[1];
        for (int i = 1; figure->series[i]; i++)
            last = &view->column[1 + i];
        print_human(view_header(view->dataset, last), view_cell(view->dataset, row, last), out, size);
    }
}

static struct series *find_series(struct figure_data *data, const char *label, int group)
{
    for (int i = 0; i < data->count; i++)
        if (data->series[i].group == group && !strcmp(data->series[i].label, label))
            return &data->series[i];
    return NULL;
}

static int colour_of(const struct figure_data *data, const char *label)
{
    int colours = 0;
    for (int i = 0; i < data->count; i++) {
        if (!strcmp(data->series[i].label, label))
            return data->series[i].colour;
        if (data->series[i].colour >= colours)
            colours = data->series[i].colour + 1;
    }
    return colours;
}

/* A single point is no curve: it goes, unless there are no curves at all. */
static void drop_single_points(struct figure_data *data)
{
    size_t longest = 0;
    int kept = 0;
    for (int i = 0; i < data->count; i++)
        longest = data->series[i].view.rows > longest ? data->series[i].view.rows : longest;
    for (int i = 0; i < data->count; i++) {
        if (longest > 1 && data->series[i].view.rows == 1)
            view_free(&data->series[i].view);
        else
            data->series[kept++] = data->series[i];
    }
    data->count = kept;
    for (int i = 0; i < data->count; i++) { /* colours without gaps */
        struct figure_data before = {.series = data->series, .count = i};
        data->series[i].colour = colour_of(&before, data->series[i].label);
    }
}

static struct series *add_series(struct figure_data *data, const struct view *view, const char *label,
                                 int group)
{
    int colour = colour_of(data, label);
    data->series = memory_resize(data->series, (size_t)data->count + 1, sizeof *data->series);
    struct series *series = &data->series[data->count++];
    *series = (struct series){
        .view = {.dataset = view->dataset, .columns = view->columns}, .colour = colour, .group = group};
    snprintf(series->label, sizeof series->label, "%s", label);
    series->view.column = memory_new((size_t)view->columns, sizeof *view->column);
    memcpy(series->view.column, view->column, (size_t)view->columns * sizeof *view->column);
    series->view.row = memory_new(view->rows, sizeof *view->row);
    return series;
}

static void split_into_series(const struct figure *figure, const struct merged *merged,
                              const struct view *view, struct figure_data *data)
{
    int source = frame_find(&merged->all.results, MERGE_GROUP);
    for (size_t i = 0; i < view->rows; i++) {
        char label[160];
        int group = merge_find_group(merged, frame_row(&merged->all.results, view->row[i])[source].text);
        if (group < 0)
            continue; /* a point that met no device was not measured */
        label_row(figure, view, view->row[i], label, sizeof label);
        struct series *series = find_series(data, label, group);
        if (!series)
            series = add_series(data, view, label, group);
        series->view.row[series->view.rows++] = view->row[i];
    }
}

int figure_collect(const struct figure *figure, const struct merged *merged, struct figure_data *data,
                   struct error *why)
{
    struct view view = view_new(&merged->all);
    int found = 0;
    *data = (struct figure_data){0};
    if (keep_rows(figure, &view, why) != 0 || add_columns(figure, &view, why) != 0)
        goto out;
    const struct view_column x = view.column[0];
    if (pin_axes(figure, &view, &x, &data->conditions, why) != 0)
        goto out;
    if (view_distinct(&view, &x, 2) < 2) {
        error_set(why, ERROR_USAGE, "fewer than two values of %s were measured", figure->x);
        goto out;
    }
    view_sort(&view, &x, false);
    int names = 0; /* sorting keeps the order of equals: the last one first, so that the first one decides */
    while (figure->series[names])
        names++;
    for (int i = names; i-- > 0;)
        view_sort(&view, &view.column[1 + i], false);
    split_into_series(figure, merged, &view, data);
    if (figure_is_of_axis(figure, merged))
        drop_single_points(data);
    found = data->count > 0;
    if (!found)
        error_set(why, ERROR_USAGE, "no measured point names its device");
out:
    view_free(&view);
    if (!found)
        figure_data_free(data);
    return found;
}

bool figure_is_of_axis(const struct figure *figure, const struct merged *merged)
{
    int column = frame_find(&merged->all.results, figure->x);
    return column >= 0 && view_is_axis(&merged->all, column);
}

void figure_data_free(struct figure_data *data)
{
    for (int i = 0; i < data->count; i++)
        view_free(&data->series[i].view);
    free(data->series);
    text_free(&data->conditions);
    *data = (struct figure_data){0};
}
