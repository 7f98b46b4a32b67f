#include "figure/tables/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "table/print_text.h"
#include "statistics/quantile.h"

static int64_t integer_of(const struct frame *frame, size_t row, const char *name)
{
    int column = frame_find(frame, name);
    return column < 0 ? FRAME_NO_INTEGER : frame_cell(frame, row, column)->integer;
}

/* "copy, stride 2": kernel and axes in which the points differ. */
static struct text name_point(const struct view *view, size_t row)
{
    const struct frame *frame = &view->dataset->results;
    struct text name = {0};
    for (int i = 0; i < frame->columns; i++) {
        struct view_column column = {.index = i};
        const struct column *header = &frame->column[i];
        bool named = header->role == ROLE_AXIS, kernel = !strcmp(header->name, COLUMN(kernel));
        if ((!named && !kernel) || view_distinct(view, &column, 2) < 2 ||
            frame_is_missing(header, *frame_cell(frame, row, i)))
            continue;
        char value[96];
        print_human(header, *frame_cell(frame, row, i), value, sizeof value);
        text_add(&name, "%s%s%s%s", name.length ? " " : "", header->type == COLUMN_TEXT ? "" : header->name,
                 header->type == COLUMN_TEXT ? "" : " ", value);
    }
    if (!name.length)
        text_add(&name, "%s", frame_find_text(frame, row, COLUMN(kernel)));
    return name;
}

static void add_samples(const struct view *view, size_t row, const char *point, const double *seconds,
                        size_t count, struct merged *table)
{
    static const char *const names[] = {COLUMN(microseconds), COLUMN(deviation), COLUMN(share)};
    const struct frame *frame = &view->dataset->results;
    double median = statistics_quantile(seconds, count, 0.5);
    for (size_t i = 0; i < count; i++) {
        const double values[] = {1e6 * seconds[i], 100 * (seconds[i] / median - 1),
                                 100.0 * (double)(i + 1) / (double)count};
        rows_add(table, frame_find_text(frame, row, MERGE_GROUP), frame_find_text(frame, row, COLUMN(kernel)),
                 names, values, 3);
        rows_add_word(table, COLUMN(point), point);
        rows_add_word(table, COLUMN(decile), 10 * (i + 1) / count > 10 * i / count ? "yes" : "no");
    }
}

/* A Gaussian kernel's density of ascending values at one of them, with Silverman's bandwidth (Density Estimation, 1986,
 * eq. 3.31): 0.9 min(deviation, interquartile range / 1.34) n^(-1/5). Not scaled. */
static double density_at(const double *value, size_t count, double bandwidth, double at)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double z = (value[i] - at) / bandwidth;
        sum += exp(-0.5 * z * z);
    }
    return sum;
}

static double bandwidth_of(const double *value, size_t count)
{
    double mean = 0, squares = 0;
    double range = statistics_quantile(value, count, 0.75) - statistics_quantile(value, count, 0.25);
    for (size_t i = 0; i < count; i++)
        mean += value[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (value[i] - mean) * (value[i] - mean);
    double spread = sqrt(squares / fmax(1, (double)count - 1));
    if (range > 0)
        spread = fmin(spread, range / 1.34);
    return 0.9 * spread * pow((double)count, -0.2);
}

/* The outline, from the least to the largest sample. */
static void add_outline(const struct view *view, size_t row, const char *point, const double *seconds,
                        size_t count, struct merged *table)
{
    enum { CORNERS = 64 };
    static const char *const names[] = {COLUMN(deviation), COLUMN(height), COLUMN(lower), COLUMN(place),
                                        COLUMN(median)};
    const struct frame *frame = &view->dataset->results;
    double median = statistics_quantile(seconds, count, 0.5),
           *deviation = memory_new(count, sizeof *deviation);
    double density[CORNERS] = {0}, at[CORNERS] = {0}, top = 0;
    for (size_t i = 0; i < count; i++)
        deviation[i] = 100 * (seconds[i] / median - 1);
    double bandwidth = bandwidth_of(deviation, count), low = deviation[0], high = deviation[count - 1];
    for (int c = 0; c < CORNERS && bandwidth > 0; c++) {
        at[c] = low + (high - low) * c / (CORNERS - 1);
        density[c] = density_at(deviation, count, bandwidth, at[c]);
        top = fmax(top, density[c]);
    }
    for (int c = 0; c < CORNERS && top > 0; c++) {
        double half = 0.4 * density[c] / top;
        const double values[] = {at[c], half, -half, 0, 1e6 * median};
        rows_add(table, frame_find_text(frame, row, MERGE_GROUP), frame_find_text(frame, row, COLUMN(kernel)),
                 names, values, 5);
        rows_add_word(table, COLUMN(point), point);
    }
    free(deviation);
}

static void add_point(const struct dataset *file, size_t own, const struct view *view, size_t row,
                      bool densities, struct merged *table)
{
    int64_t offset = integer_of(&file->results, own, COLUMN(sample_offset)),
            count = integer_of(&file->results, own, COLUMN(sample_count));
    if (offset < 0 || count < 1 || (uint64_t)offset + (uint64_t)count > file->sample_count)
        return;
    double *seconds = memory_new((size_t)count, sizeof *seconds);
    struct text point = name_point(view, row);
    for (int64_t i = 0; i < count; i++)
        seconds[i] = file->samples[offset + i].seconds;
    quantile_sort(seconds, (size_t)count);
    (densities ? add_outline : add_samples)(view, row, point.data, seconds, (size_t)count, table);
    text_free(&point);
    free(seconds);
}

/* Position of each point, the first name on top. */
static void put_in_places(struct frame *frame)
{
    int place = frame_find(frame, COLUMN(place));
    const int edge[] = {frame_find(frame, COLUMN(height)), frame_find(frame, COLUMN(lower))};
    size_t count = 0;
    const char **point = memory_new(frame->rows + 1, sizeof *point);
    for (size_t row = 0; row < frame->rows; row++) {
        size_t k = 0;
        const char *own = frame_find_text(frame, row, COLUMN(point));
        while (k < count && strcmp(point[k], own) != 0)
            k++;
        if (k == count)
            point[count++] = own;
    }
    for (size_t row = 0; row < frame->rows; row++) {
        double after = 0;
        for (size_t k = 0; k < count; k++)
            after += strcmp(point[k], frame_find_text(frame, row, COLUMN(point))) > 0;
        frame_put_real(frame, row, place, after);
        for (int e = 0; e < 2; e++)
            frame_put_real(frame, row, edge[e], after + frame_cell(frame, row, edge[e])->real);
    }
    free(point);
}

/* Does a device have more points than a figure can distinguish? */
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
    return status_is_ok(frame_find_text(&view->dataset->results, row, COLUMN(status)));
}

int samples_of(char *const *paths, int count, const struct merged *all, const struct view *view,
               bool densities, struct merged *table, struct error *error)
{
    struct view chosen = {.dataset = view->dataset, .rows = view->rows};
    size_t first = 0;
    int failed = 0;
    chosen.row = memory_new(view->rows + 1, sizeof *chosen.row);
    memcpy(chosen.row, view->row, view->rows * sizeof *chosen.row);
    view_keep(&chosen, is_measured, NULL);
    if (is_crowded(all, &chosen))
        failed = error_set(error, ERROR_USAGE, "select at most %d points per device with --where",
                           SAMPLES_POINTS_MAX);
    for (int f = 0; f < count && !failed; f++) {
        struct dataset file;
        failed = dataset_read_columns(paths[f], true, &file, error);
        if (failed)
            break;
        for (size_t i = 0; i < chosen.rows; i++)
            if (chosen.row[i] >= first && chosen.row[i] - first < file.results.rows)
                add_point(&file, chosen.row[i] - first, &chosen, chosen.row[i], densities, table);
        first += file.results.rows;
        dataset_free(&file);
    }
    view_free(&chosen);
    if (densities && table->all.results.rows)
        put_in_places(&table->all.results);
    if (!failed && !table->all.results.rows)
        failed = error_set(error, ERROR_USAGE, "the selected points have no samples");
    return failed;
}
