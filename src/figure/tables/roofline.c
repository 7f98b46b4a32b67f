#include "figure/tables/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static double intensity_of(const struct merged *all, size_t row)
{
    return merge_real(all, row, COLUMN(flops)) /
           (merge_real(all, row, COLUMN(bytes_read)) + merge_real(all, row, COLUMN(bytes_written)));
}

/* ---- Roofs ---- */

/* The highest peak of the devices of a group. */
static double peak_of(const struct merged *all, const char *group, const char *column)
{
    const struct frame *results = &all->all.results;
    int source = frame_find(results, MERGE_GROUP);
    double peak = NAN;
    for (size_t row = 0; row < results->rows; row++) {
        int64_t of = dataset_device_of(&all->all, row);
        if (of >= 0 && !strcmp(frame_cell(results, row, source)->text, group))
            peak = fmax(peak, frame_find_real(&all->all.devices, (size_t)of, column));
    }
    return peak;
}

/* The peaks of arithmetic of a group, in every row: FP16 only where it differs from FP32. */
struct peaks {
    double f16, f32, f64;
};

#define SAME_ROOF 0.05 /* relative: one line for both */

static struct peaks peaks_of(const struct merged *all, const char *group)
{
    struct peaks peaks = {peak_of(all, group, DEVICE_COLUMN(peak_flop_f16)),
                          peak_of(all, group, DEVICE_COLUMN(peak_flop_f32)),
                          peak_of(all, group, DEVICE_COLUMN(peak_flop_f64))};
    if (fabs(peaks.f16 / peaks.f32 - 1) <= SAME_ROOF)
        peaks.f16 = NAN;
    return peaks;
}

static void add_row(struct merged *table, const char *group, const char *kernel, double intensity,
                    double rate, const struct peaks *peaks, const char *lined)
{
    static const char *const names[] = {COLUMN(intensity), COLUMN(rate), COLUMN(fp16), COLUMN(fp32),
                                        COLUMN(fp64)};
    const double values[] = {intensity, rate / 1e12, peaks->f16 / 1e12, peaks->f32 / 1e12, peaks->f64 / 1e12};
    rows_add(table, group, kernel, names, values, (int)(sizeof values / sizeof *values));
    rows_add_word(table, COLUMN(lined), lined);
}

/* A roof as the corners of a line: rising with intensity, then flat. */
static void add_roof(struct merged *table, const char *group, const char *name, double bandwidth,
                     const struct peaks *peaks, const double span[2])
{
    const double corner[] = {span[0], fmin(fmax(peaks->f32 / bandwidth, span[0]), span[1]), span[1]};
    for (int i = 0; i < 3 && peaks->f32 > 0 && bandwidth > 0; i++)
        add_row(table, group, name, corner[i], fmin(peaks->f32, corner[i] * bandwidth), peaks, "yes");
}

/* ---- The table ---- */

static bool is_shown(const struct merged *all, size_t row)
{
    double intensity = intensity_of(all, row);
    return status_is_ok(merge_text(all, row, COLUMN(status))) && *merge_text(all, row, MERGE_GROUP) &&
           intensity > 0 && isfinite(intensity) && merge_real(all, row, COLUMN(flop_rate)) > 0;
}

#define SAME_INTENSITY 0.02 /* relative */

static bool is_same_column(const struct merged *all, size_t a, size_t b)
{
    return merge_text(all, a, MERGE_GROUP) == merge_text(all, b, MERGE_GROUP) &&
           !strcmp(merge_text(all, a, COLUMN(kernel)), merge_text(all, b, COLUMN(kernel))) &&
           fabs(intensity_of(all, a) / intensity_of(all, b) - 1) < SAME_INTENSITY;
}

/* Points of a family with one intensity would be a column of dots: `fastest` has the fastest of each. */
static void keep_fastest(const struct merged *all, size_t row, size_t **fastest, size_t *count)
{
    size_t k = 0;
    while (k < *count && !is_same_column(all, row, (*fastest)[k]))
        k++;
    if (k == *count) {
        *fastest = memory_resize(*fastest, ++*count, sizeof **fastest);
        (*fastest)[k] = row;
    }
    if (merge_real(all, row, COLUMN(flop_rate)) > merge_real(all, (*fastest)[k], COLUMN(flop_rate)))
        (*fastest)[k] = row;
}

int roofline_table(const struct merged *all, const struct view *view, struct merged *table, struct error *why)
{
    double span[2] = {INFINITY, -INFINITY};
    size_t *fastest = memory_new(1, sizeof *fastest), count = 0;
    for (size_t i = 0; i < view->rows; i++) {
        dataset_evict_at(view->dataset, i);
        size_t row = view->row[i];
        if (!is_shown(all, row))
            continue;
        span[0] = fmin(span[0], intensity_of(all, row) / 2);
        span[1] = fmax(span[1], intensity_of(all, row) * 2);
        keep_fastest(all, row, &fastest, &count);
    }
    for (int g = 0; g < all->groups && count; g++) {
        const char *group = all->group[g].label;
        const struct peaks peaks = peaks_of(all, group);
        for (size_t k = 0; k < count; k++)
            if (!strcmp(merge_text(all, fastest[k], MERGE_GROUP), group))
                add_row(table, group, merge_text(all, fastest[k], COLUMN(kernel)),
                        intensity_of(all, fastest[k]), merge_real(all, fastest[k], COLUMN(flop_rate)), &peaks,
                        "no");
        add_roof(table, group, "DRAM", peak_of(all, group, DEVICE_COLUMN(peak_copy)), &peaks, span);
        add_roof(table, group, "L2", peak_of(all, group, DEVICE_COLUMN(peak_l2_copy)), &peaks, span);
        add_roof(table, group, "shared memory", peak_of(all, group, DEVICE_COLUMN(peak_shared)), &peaks,
                 span);
    }
    free(fastest);
    return table->all.results.rows ? 0 : error_set(why, ERROR_USAGE, "no point has operations");
}
