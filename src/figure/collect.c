#include "figure/collect.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "table/print_text.h"
#include "table/where.h"

/* ---- The rows ---- */

static bool is_named(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

static bool keep_measured(const struct view *view, size_t row, void *context)
{
    const int *status = context;
    return status_is_ok(frame_cell(&view->dataset->results, row, *status)->text);
}

static int keep_rows(const struct figure *figure, const char *const *filter, struct view *view,
                     struct error *why)
{
    const struct frame *results = &view->dataset->results;
    int status = frame_find(results, COLUMN(status));
    if (status < 0)
        return error_set(why, ERROR_ENVIRONMENT, "the file has no status column");
    view_keep(view, keep_measured, &status);
    view_keep_points(view);
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
    if (!figure->table && where_keep_all(view, filter, why) != 0)
        return -1;
    if (!view->rows)
        return error_set(why, ERROR_USAGE, "no point of it matches --where");
    return 0;
}

struct pin {
    const struct view_column *column;
    size_t row;              /* the row with the pinned value */
    const struct view *free; /* rows that are kept with any value; ascending */
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
    const struct column *header = view_header(view->dataset, pin->column);
    if (frame_is_missing(header, view_cell(view->dataset, row, pin->column)))
        return true; /* the release that wrote the row lacked the axis */
    return view_compare(view->dataset, pin->column, row, pin->row) == 0 || holds(pin->free, row);
}

static bool is_not_free(const struct view *view, size_t row, void *context)
{
    const struct view *baseline = context;
    (void)view;
    return !holds(baseline, row);
}

/* The number of x values of rows with the pinned value, summed over devices, so that values measured on all devices are
 * preferred. */
static size_t points_along_x(const struct view *view, struct pin *pin, const struct view_column *x)
{
    struct view part = view_copy(view);
    int source = frame_find(&view->dataset->results, MERGE_GROUP);
    size_t points = 0;
    view_keep(&part, keep_pinned, pin);
    while (part.rows) { /* one device per round */
        const char *of = frame_cell(&view->dataset->results, part.row[0], source)->text;
        struct view device = view_copy(&part);
        size_t own = 0, others = 0;
        for (size_t i = 0; i < part.rows; i++) {
            size_t row = part.row[i];
            if (frame_cell(&view->dataset->results, row, source)->text == of)
                device.row[own++] = row;
            else
                part.row[others++] = row;
        }
        device.rows = own;
        part.rows = others;
        points += view_distinct(&device, x, 1000);
        view_free(&device);
    }
    view_free(&part);
    return points;
}

/* Of several families some may lack the axis: the value is that of the others. */
static void state(struct text *conditions, const struct view *view, const struct view_column *column)
{
    char value[128];
    const struct column *header = view_header(view->dataset, column);
    size_t row = view->row[0];
    for (size_t i = 0; i < view->rows && frame_is_missing(header, view_cell(view->dataset, row, column)); i++)
        row = view->row[i];
    if (view_is_no_limit(view->dataset, row, column))
        return;
    print_human(header, view_cell(view->dataset, row, column), value, sizeof value);
    text_add(conditions, "%s%s %s", conditions->length ? ", " : "", column->name, value);
}

/* Keep the rows of one value of an axis, and those of the baseline if it has only one value of it. Rows are sorted by the
 * axis first: of equally good values the larger one is kept. */
static void pin_axis(struct view *view, const struct view *baseline, const struct view_column *column,
                     const struct view_column *x, struct text *conditions)
{
    static const struct view nothing = {0};
    const struct view *free_rows = view_distinct(baseline, column, 2) < 2 ? baseline : &nothing;
    struct view bound = view_copy(view);
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

/* Does the caption state an axis even if it has one value? */
static bool is_stated(const struct figure *figure, const struct view *view, const struct view_column *column)
{
    if (!figure->all_axes)
        return is_named(figure->state, column->name);
    return view->rows && !frame_is_missing(view_header(view->dataset, column),
                                           view_cell(view->dataset, view->row[0], column));
}

static int pin_axes(const struct figure *figure, struct view *view, const struct view_column *x,
                    struct text *conditions, struct error *why)
{
    const struct frame *results = &view->dataset->results;
    struct view baseline = view_copy(view);
    int failed = 0;
    if (!view_is_axis(view->dataset, x->index)) { /* two measured columns: every row is a dot */
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
        if (view_distinct(view, &column, 2) > 1 || is_stated(figure, view, &column))
            pin_axis(view, &baseline, &column, x, conditions);
    }
    view_free(&baseline);
    return failed;
}

/* ---- The curves ---- */

/* All columns of the figure must be in the files. */
static int has_columns(const struct figure *figure, const struct view *view, struct error *why)
{
    const char *const single[] = {figure->x,
                                  figure->place ? figure->place : figure->x,
                                  figure->y,
                                  figure->panel ? figure->panel : figure->x,
                                  figure->names ? figure->names : figure->x,
                                  figure->x_names ? figure->x_names : figure->x,
                                  figure->contrast ? figure->contrast : figure->x,
                                  NULL};
    const char *const *const lists[] = {single, figure->series, figure->columns};
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (int i = 0; lists[l][i]; i++)
            if (frame_find(&view->dataset->results, lists[l][i]) < 0)
                return error_set(why, ERROR_USAGE, "no file has the column %s", lists[l][i]);
    return 0;
}

/* A figure that contrasts values of an axis needs at least two. */
static int has_contrast(const struct figure *figure, const struct view *view, struct error *why)
{
    struct view_column column;
    if (!figure->contrast)
        return 0;
    if (view_find_column(view->dataset, figure->contrast, &column, why) != 0)
        return -1;
    if (view_distinct(view, &column, 2) < 2)
        return error_set(why, ERROR_USAGE, "fewer than two values of %s were measured", figure->contrast);
    return 0;
}

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

/* The values of the axes of the series as one text, which identifies the curve. */
static void label_row(const struct figure *figure, const struct view *view, size_t row, char *out,
                      size_t size)
{
    size_t length = 0;
    *out = '\0';
    for (int i = 0; figure->series[i] && length < size; i++) {
        const struct view_column *column = &view->column[1 + i];
        char value[96];
        print_human(view_header(view->dataset, column), view_cell(view->dataset, row, column), value,
                    sizeof value);
        length += (size_t)snprintf(out + length, size - length, "%s%s", length ? " " : "", value);
    }
}

static struct series *find_series(struct figure_data *data, const char *label, int group)
{
    for (int i = 0; i < data->count; i++)
        if (data->series[i].group == group && !strcmp(data->series[i].key, label))
            return &data->series[i];
    return NULL;
}

/* Drop curves of one point, unless all are. */
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
}

static struct series *add_series(struct figure_data *data, const struct view *view, const char *label,
                                 int group)
{
    data->series = memory_resize(data->series, (size_t)data->count + 1, sizeof *data->series);
    struct series *series = &data->series[data->count++];
    *series = (struct series){.view = {.dataset = view->dataset, .columns = view->columns}, .group = group};
    snprintf(series->key, sizeof series->key, "%s", label);
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
        char label[SERIES_KEY_SIZE];
        int group = merge_find_group(merged, frame_cell(&merged->all.results, view->row[i], source)->text);
        if (group < 0)
            continue; /* without a device it was not measured */
        label_row(figure, view, view->row[i], label, sizeof label);
        struct series *series = find_series(data, label, group);
        if (!series)
            series = add_series(data, view, label, group);
        series->view.row[series->view.rows++] = view->row[i];
    }
}

/* Is x an axis, not a measured column? */
static bool is_of_axis(const struct figure *figure, const struct merged *merged)
{
    int column = frame_find(&merged->all.results, figure->x);
    return column >= 0 && view_is_axis(&merged->all, column);
}

int figure_collect(const struct figure *figure, const char *const *filter, const struct merged *merged,
                   struct figure_data *data, struct error *why)
{
    struct view view = view_new(&merged->all);
    int found = 0;
    *data = (struct figure_data){0};
    if (has_columns(figure, &view, why) != 0 || keep_rows(figure, filter, &view, why) != 0 ||
        add_columns(figure, &view, why) != 0)
        goto out;
    const struct view_column x = view.column[0];
    if (pin_axes(figure, &view, &x, &data->conditions, why) != 0)
        goto out;
    bool dots = figure->table && figure->draw && !strcmp(figure->draw, "dots"); /* one is enough */
    if (view_distinct(&view, &x, 2) < (dots ? 1 : 2)) {
        error_set(why, ERROR_USAGE, "fewer than two values of %s were measured", figure->x);
        goto out;
    }
    if (has_contrast(figure, &view, why) != 0)
        goto out;
    view_sort(&view, &x, false);
    int names = 0; /* the sort is stable: sort by the first axis last */
    while (figure->series[names])
        names++;
    for (int i = names; i-- > 0;)
        view_sort(&view, &view.column[1 + i], false);
    split_into_series(figure, merged, &view, data);
    if (is_of_axis(figure, merged))
        drop_single_points(data);
    found = data->count > 0;
    if (!found)
        error_set(why, ERROR_USAGE, "no measured point has a device");
out:
    view_free(&view);
    if (!found)
        figure_data_free(data);
    return found;
}

void figure_data_free(struct figure_data *data)
{
    for (int i = 0; i < data->count; i++)
        view_free(&data->series[i].view);
    free(data->series);
    text_free(&data->conditions);
    *data = (struct figure_data){0};
}
