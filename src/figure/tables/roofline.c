#include "figure/tables/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pair.h"
#include "base/memory.h"
#include "base/text.h"
#include "process/shipped.h"

#define NAMES(array) (array), values, (int)(sizeof(array) / sizeof *(array))

static double intensity_of(const struct merged *all, size_t row)
{
    return merge_real(all, row, COLUMN(flops)) /
           (merge_real(all, row, COLUMN(bytes_read)) + merge_real(all, row, COLUMN(bytes_written)));
}

/* ---- Before and after ---- */

/* Of one pair of the textbook. */
struct changes {
    const struct merged *all;
    double seconds[64]; /* by group: of the largest instance of the pair so far */
    size_t largest[64][2];
};

/* Only the longest instance of a pair is shown: the others are on the same line. */
static void take_change(const struct instance *instance, void *context)
{
    struct changes *changes = context;
    size_t before = instance->row[0], after = instance->row[1];
    if (instance->cases != 2 || before == SIZE_MAX || after == SIZE_MAX ||
        !status_is_ok(merge_text(changes->all, before, COLUMN(status))) ||
        !status_is_ok(merge_text(changes->all, after, COLUMN(status))))
        return;
    int group = merge_find_group(changes->all, merge_text(changes->all, before, MERGE_GROUP));
    double seconds = merge_real(changes->all, before, COLUMN(time_median));
    if (group < 0 || group >= 64 || !(seconds > changes->seconds[group]))
        return;
    changes->seconds[group] = seconds;
    changes->largest[group][0] = before;
    changes->largest[group][1] = after;
}

/* after[row]: the row that a textbook pair has after `row`, or SIZE_MAX. */
static void find_changes(const struct merged *all, size_t *after)
{
    struct error ignored;
    struct pair_table pairs;
    struct text path = {0};
    char *folder = shipped_folder("pairs.yaml");
    for (size_t row = 0; row < all->all.results.rows; row++)
        after[row] = SIZE_MAX;
    text_add(&path, "%s/pairs.yaml", folder ? folder : "");
    if (folder && pairs_read(path.data, &pairs, &ignored) == 0) {
        for (int i = 0; i < pairs.count; i++) {
            struct changes changes = {.all = all};
            pair_each(all, &pairs.pair[i], take_change, &changes);
            for (int g = 0; g < 64; g++)
                if (changes.seconds[g] > 0)
                    after[changes.largest[g][0]] = changes.largest[g][1];
        }
        pairs_free(&pairs);
    }
    text_free(&path);
    free(folder);
}

/* ---- Roofs ---- */

/* The highest peak of the devices of a group. */
static double peak_of(const struct merged *all, const char *group, const char *column)
{
    const struct frame *results = &all->all.results;
    int device = frame_find(results, COLUMN(device)), source = frame_find(results, MERGE_GROUP);
    double peak = NAN;
    for (size_t row = 0; row < results->rows; row++) {
        int64_t of = frame_cell(results, row, device)->integer;
        if (of >= 0 && (size_t)of < all->all.devices.rows &&
            !strcmp(frame_cell(results, row, source)->text, group))
            peak = fmax(peak, frame_find_real(&all->all.devices, (size_t)of, column));
    }
    return peak;
}

/* A roof as the corners of a line: rising with intensity, then flat. */
static void add_roof(struct merged *table, const char *group, const char *name, double bandwidth,
                     double flops, const double span[2])
{
    static const char *const names[] = {COLUMN(intensity), COLUMN(rate)};
    const double ridge = bandwidth > 0 ? flops / bandwidth : span[0];
    const double corner[] = {span[0], fmin(fmax(ridge, span[0]), span[1]), span[1]};
    if (!(flops > 0) || (bandwidth != 0 && !(bandwidth > 0)))
        return;
    for (int i = 0; i < 3; i++) {
        const double values[] = {corner[i],
                                 (bandwidth > 0 ? fmin(flops, corner[i] * bandwidth) : flops) / 1e12};
        rows_add(table, group, name, NAMES(names));
        rows_add_word(table, COLUMN(lined), "yes");
    }
}

/* ---- The table ---- */

static bool is_shown(const struct merged *all, size_t row)
{
    double intensity = intensity_of(all, row);
    return status_is_ok(merge_text(all, row, COLUMN(status))) && *merge_text(all, row, MERGE_GROUP) &&
           intensity > 0 && isfinite(intensity) && merge_real(all, row, COLUMN(flop_rate)) > 0;
}

/* Points of a family with one intensity would be a column of dots: the fastest is drawn, with a bar down to the slowest. */
struct column_of_points {
    size_t fastest, slowest;
};

#define SAME_INTENSITY 0.02 /* relative */
#define SAME_ROOF      0.05 /* relative: one line for both */

static bool is_same_column(const struct merged *all, size_t a, size_t b)
{
    return merge_text(all, a, MERGE_GROUP) == merge_text(all, b, MERGE_GROUP) &&
           !strcmp(merge_text(all, a, COLUMN(kernel)), merge_text(all, b, COLUMN(kernel))) &&
           fabs(intensity_of(all, a) / intensity_of(all, b) - 1) < SAME_INTENSITY;
}

static void add_to_columns(const struct merged *all, size_t row, struct column_of_points **columns,
                           size_t *count)
{
    size_t k = 0;
    double rate = merge_real(all, row, COLUMN(flop_rate));
    while (k < *count && !is_same_column(all, row, (*columns)[k].fastest))
        k++;
    if (k == *count) {
        *columns = memory_resize(*columns, ++*count, sizeof **columns);
        (*columns)[k] = (struct column_of_points){row, row};
    }
    struct column_of_points *column = &(*columns)[k];
    if (rate > merge_real(all, column->fastest, COLUMN(flop_rate)))
        column->fastest = row;
    if (rate < merge_real(all, column->slowest, COLUMN(flop_rate)))
        column->slowest = row;
}

static void add_row(const struct merged *all, size_t row, double slowest, size_t after, struct merged *table)
{
    static const char *const names[] = {COLUMN(intensity),       COLUMN(rate),
                                        COLUMN(rate_low),        COLUMN(rate_high),
                                        COLUMN(after_intensity), COLUMN(after_rate)};
    double rate = merge_real(all, row, COLUMN(flop_rate)) / 1e12;
    const double values[] = {intensity_of(all, row),
                             rate,
                             slowest,
                             isnan(slowest) ? NAN : rate,
                             after == SIZE_MAX ? NAN : intensity_of(all, after),
                             after == SIZE_MAX ? NAN : merge_real(all, after, COLUMN(flop_rate)) / 1e12};
    rows_add(table, merge_text(all, row, MERGE_GROUP), merge_text(all, row, COLUMN(kernel)), NAMES(names));
    rows_add_word(table, COLUMN(lined), "no");
    rows_add_word(table, COLUMN(dot), after == SIZE_MAX ? "yes" : "no");
}

int roofline_table(const struct merged *all, const struct view *view, struct merged *table, struct error *why)
{
    double span[2] = {INFINITY, -INFINITY};
    size_t *after = memory_new(all->all.results.rows + 1, sizeof *after), count = 0;
    struct column_of_points *columns = memory_new(1, sizeof *columns);
    find_changes(all, after);
    for (size_t i = 0; i < view->rows; i++) {
        dataset_evict_at(view->dataset, i);
        size_t row = view->row[i];
        if (!is_shown(all, row))
            continue;
        span[0] = fmin(span[0], intensity_of(all, row) / 2);
        span[1] = fmax(span[1], intensity_of(all, row) * 2);
        add_to_columns(all, row, &columns, &count);
        if (after[row] != SIZE_MAX && is_shown(all, after[row]))
            add_row(all, row, NAN, after[row], table);
    }
    for (size_t k = 0; k < count; k++)
        add_row(all, columns[k].fastest, merge_real(all, columns[k].slowest, COLUMN(flop_rate)) / 1e12,
                SIZE_MAX, table);
    free(columns);
    free(after);
    for (int g = 0; g < all->groups && span[1] > 0; g++) {
        const char *group = all->group[g].label;
        double f32 = peak_of(all, group, DEVICE_COLUMN(peak_flop_f32));
        add_roof(table, group, "DRAM", peak_of(all, group, DEVICE_COLUMN(peak_copy)), f32, span);
        add_roof(table, group, "L2", peak_of(all, group, DEVICE_COLUMN(peak_l2_copy)), f32, span);
        add_roof(table, group, "shared memory", peak_of(all, group, DEVICE_COLUMN(peak_shared)), f32, span);
        add_roof(table, group, "FP32", 0, f32, span);
        add_roof(table, group, "FP64", 0, peak_of(all, group, DEVICE_COLUMN(peak_flop_f64)), span);
        double f16 = peak_of(all, group, DEVICE_COLUMN(peak_flop_f16));
        if (fabs(f16 / f32 - 1) > SAME_ROOF)
            add_roof(table, group, "FP16", 0, f16, span);
    }
    return table->all.results.rows ? 0 : error_set(why, ERROR_USAGE, "no point has operations");
}
