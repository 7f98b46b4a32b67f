#include "store/dataset/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "statistics/components.h"
#include "statistics/summary.h"

static const struct sample *samples_of(const struct dataset *dataset, size_t row, size_t *count)
{
    const struct frame *results = &dataset->results;
    *count = (size_t)frame_cell(results, row, frame_find(results, COLUMN(sample_count)))->integer;
    return dataset->samples + frame_cell(results, row, frame_find(results, COLUMN(sample_offset)))->integer;
}

static bool same_cell(const struct sample *a, const struct sample *b)
{
    return a->process == b->process && a->device == b->device;
}

static uint32_t device_of(const struct dataset *dataset, size_t row, const struct sample *sample)
{
    if (sample->device >= 0)
        return (uint32_t)sample->device;
    return (uint32_t)frame_cell(&dataset->results, row, frame_find(&dataset->results, COLUMN(device)))
        ->integer;
}

static enum levels_kind kind_of(const struct dataset *dataset, size_t row)
{
    const char *roof = frame_find_text(&dataset->results, row, COLUMN(roof));
    return !strncmp(roof, "link_", strlen("link_")) ? LEVELS_WITH_HOST : LEVELS_ON_DEVICE;
}

size_t summary_cells(const struct dataset *dataset, size_t row, struct levels_cell **cells)
{
    size_t count, cells_count = 0, capacity = 0;
    const struct sample *sample = samples_of(dataset, row, &count);
    double *times = memory_new(count ? count : 1, sizeof *times);
    *cells = NULL;
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && same_cell(&sample[first], &sample[end]); end++)
            times[end - first] = sample[end].seconds;
        *cells = memory_grow(*cells, cells_count, &capacity, sizeof **cells);
        (*cells)[cells_count] = levels_cell_of(device_of(dataset, row, &sample[first]), sample[first].process,
                                               times, end - first);
        (*cells)[cells_count++].kind = kind_of(dataset, row);
    }
    free(times);
    return cells_count;
}

struct pooling summary_pooling(const struct dataset *dataset)
{
    size_t rows = dataset->results.rows;
    struct levels *levels = memory_new(rows ? rows : 1, sizeof *levels);
    for (size_t row = 0; row < rows; row++) {
        struct levels_cell *cells;
        dataset_evict_at(dataset, row);
        size_t count = summary_cells(dataset, row, &cells);
        levels[row] = levels_of(cells, count);
        free(cells);
    }
    struct pooling pooling = pooling_of(levels, rows);
    for (size_t row = 0; row < rows; row++)
        levels_free(&levels[row]);
    free(levels);
    return pooling;
}

static void put(struct dataset *dataset, size_t row, const char *name, double value)
{
    int column = frame_find(&dataset->results, name);
    if (column >= 0 && dataset->results.column[column].type == COLUMN_REAL)
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
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(sample[i].sm_clock))
            values[known++] = sample[i].sm_clock;
    if (known)
        put(dataset, row, COLUMN(sm_clock), statistics_of(values, known).median);
    free(values);
}

static void fill_estimate(struct dataset *dataset, size_t row, const struct levels_estimate *estimate)
{
    static const char *const rates[] = {COLUMN(bandwidth),          COLUMN(flop_rate),
                                        COLUMN(fraction_peak),      COLUMN(fraction_nominal),
                                        COLUMN(fraction_datasheet), NULL};
    double before = frame_find_real(&dataset->results, row, COLUMN(time_median));
    double bytes = frame_find_real(&dataset->results, row, COLUMN(bytes_read)) +
                   frame_find_real(&dataset->results, row, COLUMN(bytes_written));
    put(dataset, row, COLUMN(time_median), estimate->seconds);
    put(dataset, row, COLUMN(time_ci_low), estimate->low);
    put(dataset, row, COLUMN(time_ci_high), estimate->high);
    put(dataset, row, COLUMN(bandwidth_low), bytes / estimate->high);
    put(dataset, row, COLUMN(bandwidth_high), bytes / estimate->low);
    for (const char *const *name = rates; *name; name++)
        scale(dataset, row, *name, before / estimate->seconds);
    scale(dataset, row, COLUMN(headroom), estimate->seconds / before);
}

static void fill_levels(struct dataset *dataset, size_t row, const struct levels_cell *cells, size_t count)
{
    struct components parts = components_of(cells, count, NULL);
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

void summary_fill(struct dataset *dataset, size_t row, const struct pooling *pooling)
{
    struct levels_cell *cells;
    size_t count = summary_cells(dataset, row, &cells);
    if (count)
        fill_levels(dataset, row, cells, count);
    if (count > 1) {
        struct levels_estimate estimate =
            pooling ? pooling_estimate(pooling, cells, count) : levels_estimate_alone(cells, count);
        fill_scatter(dataset, row);
        fill_estimate(dataset, row, &estimate);
    }
    free(cells);
}

void summary_fill_all(struct dataset *dataset)
{
    struct pooling pooling = summary_pooling(dataset);
    for (size_t row = 0; row < dataset->results.rows; row++) {
        dataset_evict_at(dataset, row);
        summary_fill(dataset, row, &pooling);
    }
}
