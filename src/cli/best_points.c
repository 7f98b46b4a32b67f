#include "cli/command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "store/store.h"
#include "table/human.h"
#include "table/table.h"

#define SHOWN_MAX 5

static bool is_of_kernel(const struct view *view, size_t row, void *context)
{
    return !strcmp(frame_find_text(&view->dataset->results, row, COLUMN(kernel)), context);
}

/* The cell of a column that may be missing, or whose value may be. */
static void put(struct human_table *table, const struct frame *results, size_t row, const char *name)
{
    char text[256];
    int column = frame_find(results, name);
    if (column >= 0)
        human_cell(&results->column[column], *frame_cell(results, row, column), text, sizeof text);
    human_add(table, "%s", column < 0 ? "—" : text);
}

/* Rates are inverse to times, so that they have the same relative interval. Latencies have none. */
static void put_rate(struct human_table *table, const struct dataset *file, size_t row)
{
    const struct frame *results = &file->results;
    const char *name = top_own_rate(file, row);
    const double value = frame_find_real(results, row, name),
                 width = frame_find_real(results, row, COLUMN(time_ci_high)) -
                         frame_find_real(results, row, COLUMN(time_ci_low)),
                 half = value * width / (2 * frame_find_real(results, row, COLUMN(time_median)));
    char text[64];
    human_real(value, strcmp(name, COLUMN(latency_p50)) != 0 ? half : NAN,
               results->column[frame_find(results, name)].unit, text, sizeof text);
    human_add(table, "%s", text);
}

/* The values of the axes that vary among the points of the row's kernel. */
static void put_place(struct human_table *table, const struct dataset *file, size_t row)
{
    const struct frame *results = &file->results;
    struct view family = view_new(file, false);
    struct text place = {0};
    char text[256];
    view_keep(&family, is_of_kernel, (void *)(uintptr_t)frame_find_text(results, row, COLUMN(kernel)));
    for (int i = 0; i < results->columns; i++) {
        const struct view_column axis = {.header = &results->column[i], .index = i};
        const union cell cell = *frame_cell(results, row, i);
        if (axis.header->role != ROLE_AXIS || frame_is_missing(axis.header, cell) ||
            !view_varies(&family, &axis))
            continue;
        human_cell(axis.header, cell, text, sizeof text);
        text_add(&place, "%s%s=%s", place.data ? " " : "", axis.header->name, text);
    }
    human_add(table, "%s", place.data ? place.data : "");
    text_free(&place);
    view_free(&family);
}

static void print_best(const struct dataset *file, const struct view *best)
{
    static const char *const heads[] = {"best of", "rate", "of the roof", "roof", "at"};
    struct human_table table = {0};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        human_head(&table, false, heads[i]);
    for (size_t i = 0; i < best->rows && i < SHOWN_MAX; i++) {
        const size_t row = best->row[i];
        put(&table, &file->results, row, COLUMN(kernel));
        put_rate(&table, file, row);
        put(&table, &file->results, row, COLUMN(fraction_peak));
        put(&table, &file->results, row, COLUMN(roof));
        put_place(&table, file, row);
    }
    human_print(stderr, &table);
}

/* What to type next. */
static void print_hints(const char *path, bool more)
{
    struct text quoted = {0};
    text_add_quoted(&quoted, path);
    if (more)
        fprintf(stderr, "warpsweep: all families: warpsweep table %s --top 1\n", quoted.data);
    fprintf(stderr, "warpsweep: draw it with: warpsweep plot %s -o figures\n", quoted.data);
    text_free(&quoted);
}

void best_points_print(const char *path)
{
    struct dataset file;
    struct view_column share;
    struct error ignored;
    if (dataset_read(path, &file, &ignored) != 0)
        return;
    struct view best = view_new(&file, false);
    if (top_keep(&best, NULL, 1, &ignored) == 0 && best.rows &&
        view_find(&file, COLUMN(fraction_peak), &share, &ignored) == 0) {
        share.descending = true;
        view_sort(&best, &share, 1);
        print_best(&file, &best);
        print_hints(path, best.rows > SHOWN_MAX);
    }
    view_free(&best);
    dataset_free(&file);
}
