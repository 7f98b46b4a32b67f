#include "store/dataset/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/axis.h"
#include "statistics/levels.h"
#include "statistics/pooling.h"
#include "statistics/summary.h"
#include "store/dataset/admission.h"

static const struct sample *samples_of(const struct dataset *dataset, size_t row, size_t *count)
{
    const union cell *cell = frame_row(&dataset->results, row);
    *count = (size_t)cell[dataset->columns.fixed[FIXED_sample_count]].integer;
    return dataset_samples(dataset, cell[dataset->columns.fixed[FIXED_sample_offset]].integer);
}

static bool same_cell(const struct sample *a, const struct sample *b)
{
    return a->process == b->process && a->device == b->device;
}

static uint32_t device_of(const struct dataset *dataset, size_t row, const struct sample *sample)
{
    int64_t device = frame_cell(&dataset->results, row, dataset->columns.fixed[FIXED_device])->integer;
    return (uint32_t)(sample->device >= 0 ? sample->device : device);
}

static enum levels_kind kind_of(const struct dataset *dataset, size_t row)
{
    const char *roof = frame_find_text(&dataset->results, row, COLUMN(roof)),
               *cache = frame_find_text(&dataset->results, row, COLUMN(cache));
    if (!strncmp(roof, "link_", strlen("link_")))
        return LEVELS_WITH_HOST;
    if (!strcmp(cache, cache_words[CACHE_HOT]))
        return LEVELS_HOT;
    return !strcmp(cache, cache_words[CACHE_ROTATE]) ? LEVELS_ROTATE : LEVELS_ON_DEVICE;
}

/* 0 unless the row is ok. */
static size_t count_cells(const struct dataset *dataset, size_t row)
{
    size_t count, cells = 0;
    if (!status_is_ok(frame_cell(&dataset->results, row, dataset->columns.fixed[FIXED_status])->text))
        return 0;
    const struct sample *sample = samples_of(dataset, row, &count);
    for (size_t i = 0; i < count; i++)
        cells += i == 0 || !same_cell(&sample[i - 1], &sample[i]);
    return cells;
}

/* The cells (one per process and device) of a row's samples, in their order; returns how many. The caller
 * frees `*cells`. */
static size_t cells_of(const struct dataset *dataset, size_t row, struct levels_cell **cells)
{
    size_t count, found = 0, cell_count = count_cells(dataset, row);
    const struct sample *sample = samples_of(dataset, row, &count);
    double *times = memory_new(count + 1, sizeof *times);
    *cells = memory_new(cell_count + 1, sizeof **cells);
    for (size_t first = 0, end; found < cell_count; first = end) {
        for (end = first; end < count && same_cell(&sample[first], &sample[end]); end++)
            times[end - first] = sample[end].seconds;
        (*cells)[found] = levels_cell_of(device_of(dataset, row, &sample[first]), sample[first].process,
                                         times, end - first);
        (*cells)[found++].kind = kind_of(dataset, row);
    }
    free(times);
    return found;
}

/* ---- Filling rows ---- */

static void put(struct dataset *dataset, size_t row, const char *name, double value)
{
    int column = frame_find_as(&dataset->results, name, COLUMN_REAL);
    if (column >= 0)
        frame_put_real(&dataset->results, row, column, value);
}

/* A quantity that was divided by the time is divided by another time now. */
static void scale(struct dataset *dataset, size_t row, const char *name, double factor)
{
    put(dataset, row, name, factor * frame_find_real(&dataset->results, row, name));
}

/* Over all samples, whichever process took them. */
static void fill_scatter(struct dataset *dataset, size_t row)
{
    size_t count;
    const struct sample *sample = samples_of(dataset, row, &count);
    double *values = memory_new(count, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = sample[i].seconds;
    struct statistics all = statistics_of(values, count);
    put(dataset, row, COLUMN(time_mean), all.mean);
    put(dataset, row, COLUMN(time_min), all.min);
    put(dataset, row, COLUMN(time_p05), all.p05);
    put(dataset, row, COLUMN(time_p95), all.p95);
    put(dataset, row, COLUMN(time_mad), all.mad);
    free(values);
}

/* Pooled as the time is, the geometric mean of the medians of processes and devices, so that time times clock
 * are cycles. */
static void fill_clock(struct dataset *dataset, size_t row)
{
    size_t count, cells = 0;
    const struct sample *sample = samples_of(dataset, row, &count);
    double *values = memory_new(count + 1, sizeof *values), sum = 0;
    for (size_t first = 0, end; first < count; first = end) {
        size_t known = 0;
        for (end = first; end < count && same_cell(&sample[first], &sample[end]); end++)
            if (isfinite(sample[end].sm_clock))
                values[known++] = sample[end].sm_clock;
        if (known) {
            sum += log(statistics_of(values, known).median);
            cells++;
        }
    }
    if (cells)
        put(dataset, row, COLUMN(sm_clock), exp(sum / (double)cells));
    free(values);
}

static struct roof_interval interval_of(const struct dataset *dataset, size_t row, const char *value,
                                        const char *low, const char *high)
{
    const struct frame *results = &dataset->results;
    return (struct roof_interval){frame_find_real(results, row, value), frame_find_real(results, row, low),
                                  frame_find_real(results, row, high)};
}

/* Of the share of the roof, from time and roof as they are now. */
static void fill_roof_share(struct dataset *dataset, size_t row)
{
    struct roof_interval share = roof_share(
        frame_find_real(&dataset->results, row, COLUMN(fraction_peak)),
        interval_of(dataset, row, COLUMN(time_median), COLUMN(time_ci_low), COLUMN(time_ci_high)),
        interval_of(dataset, row, COLUMN(roof_rate), COLUMN(roof_rate_low), COLUMN(roof_rate_high)));
    put(dataset, row, COLUMN(fraction_peak_low), share.low);
    put(dataset, row, COLUMN(fraction_peak_high), share.high);
}

/* A wider interval says nothing, and is missing: two processes that differ by a factor of ten have one over
 * 13 powers of ten. */
#define INTERVAL_MOST 1e4

static void fill_estimate(struct dataset *dataset, size_t row, const struct levels_estimate *estimate)
{
    static const char *const rates[] = {COLUMN(bandwidth),          COLUMN(flop_rate),
                                        COLUMN(flop_rate_executed), COLUMN(fraction_peak),
                                        COLUMN(fraction_nominal),   COLUMN(fraction_datasheet),
                                        COLUMN(bus_bandwidth),      NULL};
    double before = frame_find_real(&dataset->results, row, COLUMN(time_median));
    double bytes = frame_find_real(&dataset->results, row, COLUMN(bytes_read)) +
                   frame_find_real(&dataset->results, row, COLUMN(bytes_written));
    put(dataset, row, COLUMN(time_median), estimate->seconds);
    bool known = estimate->high <= INTERVAL_MOST * estimate->low;
    double low = known ? estimate->low : NAN, high = known ? estimate->high : NAN;
    put(dataset, row, COLUMN(time_ci_low), low);
    put(dataset, row, COLUMN(time_ci_high), high);
    put(dataset, row, COLUMN(bandwidth_low), bytes / high);
    put(dataset, row, COLUMN(bandwidth_high), bytes / low);
    for (const char *const *name = rates; *name; name++)
        scale(dataset, row, *name, before / estimate->seconds);
    fill_roof_share(dataset, row);
    scale(dataset, row, COLUMN(headroom), estimate->seconds / before);
}

static void fill_levels(struct dataset *dataset, size_t row, const struct levels_cell *cells, size_t count)
{
    struct components parts = components_of(cells, count);
    size_t processes = 0, devices = 0;
    for (size_t i = 0; i < count; i++) {
        size_t p = 0, d = 0;
        while (p < i && (cells[p].process != cells[i].process || cells[p].device != cells[i].device))
            p++;
        while (d < i && cells[d].device != cells[i].device)
            d++;
        processes += p == i;
        devices += d == i;
    }
    put(dataset, row, COLUMN(processes), (double)processes);
    put(dataset, row, COLUMN(devices), (double)devices);
    put(dataset, row, COLUMN(sd_sample), components_sd(parts.sample));
    put(dataset, row, COLUMN(sd_process), components_sd(parts.process));
    put(dataset, row, COLUMN(sd_device), components_sd(parts.device));
}

static void fill_row(struct dataset *dataset, size_t row, const struct levels_cell *cells, size_t count,
                     const struct pooling *pooling)
{
    if (count)
        fill_levels(dataset, row, cells, count);
    if (count > 1) {
        struct levels_estimate estimate =
            pooling ? pooling_estimate(pooling, cells, count) : levels_estimate_alone(cells, count);
        fill_scatter(dataset, row);
        fill_clock(dataset, row);
        fill_estimate(dataset, row, &estimate);
        admit_row(dataset, row);
    }
}

void summary_fill_new(struct dataset *dataset)
{
    int processes = dataset->columns.real[REAL_processes];
    for (size_t row = 0; row < dataset->results.rows && processes >= 0; row++) {
        size_t count = count_cells(dataset, row);
        if (count < 2 || (double)count <= frame_cell(&dataset->results, row, processes)->real)
            continue;
        struct levels_cell *cells;
        count = cells_of(dataset, row, &cells);
        fill_row(dataset, row, cells, count, NULL);
        free(cells);
    }
}

void summary_fill_all(struct dataset *dataset)
{
    size_t rows = dataset->results.rows;
    struct levels_cell **cells = memory_new(rows + 1, sizeof *cells);
    struct levels *levels = memory_new(rows + 1, sizeof *levels);
    size_t *count = memory_new(rows + 1, sizeof *count);
    for (size_t row = 0; row < rows; row++) {
        admit_row(dataset, row); /* releases until 0.5 have taken samples of 0 s, whose logarithm would be in
                                    every interval */
        count[row] = cells_of(dataset, row, &cells[row]);
        levels[row] = levels_of(cells[row], count[row]);
    }
    struct pooling pooling =
        pooling_of(levels, rows); /* how much processes and devices deviate, by all points */
    for (size_t row = 0; row < rows; row++) {
        fill_row(dataset, row, cells[row], count[row], &pooling);
        levels_free(&levels[row]);
        free(cells[row]);
    }
    free(count);
    free(levels);
    free(cells);
}
