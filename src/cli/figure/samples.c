#include "cli/figure/samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/data/print.h"
#include "cli/figure/rows.h"

static int compare_seconds(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int64_t integer_of(const struct frame *frame, size_t row, const char *name)
{
    int column = frame_find(frame, name);
    return column < 0 ? FRAME_NO_INTEGER : frame_row(frame, row)[column].integer;
}

/* "copy, stride 2": what tells the point from the others that were chosen. */
static struct text name_point(const struct view *view, size_t row)
{
    const struct frame *frame = &view->dataset->results;
    struct text name = {0};
    for (int i = 0; i < frame->columns; i++) {
        struct view_column column = {.index = i};
        const struct column *header = &frame->column[i];
        bool named = header->role == ROLE_AXIS, kernel = !strcmp(header->name, "kernel");
        if ((!named && !kernel) || view_distinct(view, &column, 2) < 2 ||
            frame_is_missing(header, frame_row(frame, row)[i]))
            continue;
        char value[96];
        print_human(header, frame_row(frame, row)[i], value, sizeof value);
        text_add(&name, "%s%s%s%s", name.length ? " " : "", header->type == COLUMN_TEXT ? "" : header->name,
                 header->type == COLUMN_TEXT ? "" : " ", value);
    }
    if (!name.length)
        text_add(&name, "%s", frame_find_text(frame, row, "kernel"));
    return name;
}

static void add_point(const struct dataset *file, size_t own, const struct view *view, size_t row,
                      struct merged *table)
{
    static const char *const names[] = {"microseconds", "share"};
    const struct frame *merged = &view->dataset->results;
    int64_t offset = integer_of(&file->results, own, "sample_offset"),
            count = integer_of(&file->results, own, "sample_count");
    if (offset < 0 || count < 1 || (uint64_t)offset + (uint64_t)count > file->sample_count)
        return;
    double *seconds = memory_new((size_t)count, sizeof *seconds);
    struct text point = name_point(view, row);
    for (int64_t i = 0; i < count; i++)
        seconds[i] = file->samples[offset + i].seconds;
    qsort(seconds, (size_t)count, sizeof *seconds, compare_seconds);
    for (int64_t i = 0; i < count; i++) {
        const double values[] = {1e6 * seconds[i], 100.0 * (double)(i + 1) / (double)count};
        rows_add(table, frame_find_text(merged, row, MERGE_GROUP), frame_find_text(merged, row, "kernel"),
                 names, values, 2);
        rows_add_word(table, "point", point.data);
    }
    text_free(&point);
    free(seconds);
}

/* Has a device more points among the rows than a figure can tell apart? */
static bool is_crowded(const struct merged *all, const struct view *view)
{
    for (int g = 0; g < all->groups; g++) {
        size_t points = 0;
        for (size_t i = 0; i < view->rows; i++)
            points += !strcmp(frame_find_text(&view->dataset->results, view->row[i], MERGE_GROUP),
                              all->group[g].label);
        if (points > SAMPLES_POINTS_MAX)
            return true;
    }
    return false;
}

static bool is_measured(const struct view *view, size_t row, void *context)
{
    (void)context;
    return !strcmp(frame_find_text(&view->dataset->results, row, "status"), status_words[STATUS_OK]);
}

int samples_of(char *const *paths, int count, const struct merged *all, const struct view *view,
               struct merged *table, struct error *error)
{
    struct view chosen = {.dataset = view->dataset, .rows = view->rows};
    size_t first = 0;
    int failed = 0;
    chosen.row = memory_new(view->rows + 1, sizeof *chosen.row);
    memcpy(chosen.row, view->row, view->rows * sizeof *chosen.row);
    view_keep(&chosen, is_measured, NULL);
    if (is_crowded(all, &chosen))
        failed = error_set(error, ERROR_USAGE, "--where has to choose at most %d points of a device",
                           SAMPLES_POINTS_MAX);
    for (int f = 0; f < count && !failed; f++) {
        struct dataset file;
        failed = dataset_read(paths[f], &file, error);
        if (failed)
            break;
        for (size_t i = 0; i < chosen.rows; i++)
            if (chosen.row[i] >= first && chosen.row[i] - first < file.results.rows)
                add_point(&file, chosen.row[i] - first, &chosen, chosen.row[i], table);
        first += file.results.rows;
        dataset_free(&file);
    }
    view_free(&chosen);
    if (!failed && !table->all.results.rows)
        failed = error_set(error, ERROR_USAGE, "the chosen points have no samples");
    return failed;
}
