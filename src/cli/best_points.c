#include "cli/best_points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "store/store.h"
#include "table/text_table.h"
#include "table/top.h"
#include "table/units.h"

#define SHOWN_MAX 5

/* Rates are inverse to times, so they have the same relative interval. */
static double half_interval(const struct frame *results, size_t row, double value)
{
    double low = frame_find_real(results, row, COLUMN(time_ci_low));
    double high = frame_find_real(results, row, COLUMN(time_ci_high));
    return value * (high - low) / (2 * frame_find_real(results, row, COLUMN(time_median)));
}

static void put_rate(struct text_table *table, const struct dataset *file, size_t row)
{
    const struct frame *results = &file->results;
    const char *name = top_own_rate(file, row);
    double value = frame_find_real(results, row, name);
    const char *of = results->column[frame_find(results, name)].unit;
    const struct unit *unit = units_choose(of, value);
    const double scale = unit ? unit->scale : 1;
    const bool is_rate = strcmp(name, COLUMN(latency_p50)) != 0;
    char number[64];
    units_format(value / scale, is_rate ? half_interval(results, row, value) / scale : NAN, number,
                 sizeof number);
    text_table_cell(table, TONE_PLAIN, "%s %s", number, unit ? unit->name : of);
}

static void put_share(struct text_table *table, const struct frame *results, size_t row)
{
    double share = frame_find_real(results, row, COLUMN(fraction_peak));
    if (isnan(share))
        text_table_cell(table, TONE_PLAIN, "no roof");
    else
        text_table_cell(table, TONE_PLAIN, "%.1f %% of %s", 100 * share,
                        frame_find_text(results, row, COLUMN(roof)));
}

static bool is_of_kernel(const struct view *view, size_t row, void *context)
{
    return !strcmp(frame_find_text(&view->dataset->results, row, COLUMN(kernel)), context);
}

static void add_value(struct text *place, const struct dataset *file, const struct view_column *axis,
                      size_t row)
{
    const union cell cell = view_cell(file, row, axis);
    const struct column *header = view_header(file, axis);
    char size[32];
    if (frame_is_missing(header, cell))
        return;
    text_add(place, "%s%s=", place->data ? " " : "", axis->name);
    if (header->type == COLUMN_TEXT) {
        text_add(place, "%s", cell.text);
    } else if (!strcmp(header->unit, "bytes")) {
        text_format_bytes(cell.integer, size, sizeof size);
        text_add(place, "%s", size);
    } else {
        text_add(place, "%lld", (long long)cell.integer);
    }
}

/* The values of the axes that vary among the points of the row's kernel. */
static void put_place(struct text_table *table, const struct dataset *file, size_t row)
{
    struct view family = view_new(file);
    struct text place = {0};
    view_keep_points(&family);
    view_keep(&family, is_of_kernel, (void *)(uintptr_t)frame_find_text(&file->results, row, COLUMN(kernel)));
    for (int i = 0; i < file->results.columns; i++) {
        struct view_column axis;
        struct error ignored;
        if (view_is_axis(file, i) &&
            view_find_column(file, file->results.column[i].name, &axis, &ignored) == 0 &&
            view_distinct(&family, &axis, 2) > 1)
            add_value(&place, file, &axis, row);
    }
    text_table_cell(table, TONE_PLAIN, "%s", place.data ? place.data : "");
    text_free(&place);
    view_free(&family);
}

static void print_best(const struct dataset *file, const struct view *best)
{
    static const char *const heads[] = {"best of", "rate", "share of the roof", "at"};
    struct text_table table = {0};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        text_table_head(&table, false, heads[i]);
    for (size_t i = 0; i < best->rows && i < SHOWN_MAX; i++) {
        text_table_cell(&table, TONE_PLAIN, "%s",
                        frame_find_text(&file->results, best->row[i], COLUMN(kernel)));
        put_rate(&table, file, best->row[i]);
        put_share(&table, &file->results, best->row[i]);
        put_place(&table, file, best->row[i]);
    }
    text_table_print(stderr, &table);
    text_table_free(&table);
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
    struct error ignored;
    if (dataset_read(path, &file, &ignored) != 0)
        return;
    struct view best = view_new(&file);
    struct view_column share;
    view_keep_points(&best);
    if (top_keep(&best, NULL, NULL, 1, &ignored) == 0 && best.rows &&
        view_find_column(&file, COLUMN(fraction_peak), &share, &ignored) == 0) {
        view_sort(&best, &share, true);
        print_best(&file, &best);
        print_hints(path, best.rows > SHOWN_MAX);
    }
    view_free(&best);
    dataset_free(&file);
}
