#include "store/dataset/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/spill.h"
#include "base/thread.h"
#include "core/axis.h"
#include "statistics/components.h"
#include "statistics/summary.h"
#include "store/dataset/invariants.h"

/* The columns that say which samples a row has, and what they are of. */
struct sampled {
    const struct dataset *dataset;
    int offset, count, device, roof, cache; /* columns; -1: none */
};

/* A column of texts; -1: there is none. */
static int find_text(const struct frame *frame, const char *name)
{
    int column = frame_find(frame, name);
    return column >= 0 && frame->column[column].type == COLUMN_TEXT ? column : -1;
}

static struct sampled sampled_of(const struct dataset *dataset)
{
    const struct frame *results = &dataset->results;
    return (struct sampled){.dataset = dataset,
                            .offset = frame_find(results, COLUMN(sample_offset)),
                            .count = frame_find(results, COLUMN(sample_count)),
                            .device = frame_find(results, COLUMN(device)),
                            .roof = find_text(results, COLUMN(roof)),
                            .cache = find_text(results, COLUMN(cache))};
}

static const struct sample *samples_of(const struct sampled *sampled, size_t row, size_t *count)
{
    const struct frame *results = &sampled->dataset->results;
    *count = (size_t)frame_cell(results, row, sampled->count)->integer;
    return sampled->dataset->samples + frame_cell(results, row, sampled->offset)->integer;
}

static bool same_cell(const struct sample *a, const struct sample *b)
{
    return a->process == b->process && a->device == b->device;
}

static uint32_t device_of(const struct sampled *sampled, size_t row, const struct sample *sample)
{
    if (sample->device >= 0)
        return (uint32_t)sample->device;
    return (uint32_t)frame_cell(&sampled->dataset->results, row, sampled->device)->integer;
}

static enum levels_kind kind_of(const struct sampled *sampled, size_t row)
{
    const struct frame *results = &sampled->dataset->results;
    const char *roof = sampled->roof < 0 ? "" : frame_cell(results, row, sampled->roof)->text,
               *cache = sampled->cache < 0 ? "" : frame_cell(results, row, sampled->cache)->text;
    if (!strncmp(roof, "link_", strlen("link_")))
        return LEVELS_WITH_HOST;
    return !strcmp(cache, cache_words[CACHE_HOT])      ? LEVELS_HOT
           : !strcmp(cache, cache_words[CACHE_ROTATE]) ? LEVELS_ROTATE
                                                       : LEVELS_ON_DEVICE;
}

static size_t count_cells(const struct sampled *sampled, size_t row)
{
    size_t count, cells = 0;
    const struct sample *sample = samples_of(sampled, row, &count);
    for (size_t i = 0; i < count; i++)
        cells += i == 0 || !same_cell(&sample[i - 1], &sample[i]);
    return cells;
}

/* `cell` has room for count_cells of them. */
static void fill_cells(const struct sampled *sampled, size_t row, struct levels_cell *cell)
{
    enum { FEW = 256 };
    size_t count;
    const struct sample *sample = samples_of(sampled, row, &count);
    enum levels_kind kind = kind_of(sampled, row);
    double few[FEW], *times = count > FEW ? memory_new(count, sizeof *times) : few;
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && same_cell(&sample[first], &sample[end]); end++)
            times[end - first] = sample[end].seconds;
        *cell = levels_cell_of(device_of(sampled, row, &sample[first]), sample[first].process, times,
                               end - first);
        cell++->kind = kind;
    }
    if (count > FEW)
        free(times);
}

size_t summary_cells(const struct dataset *dataset, size_t row, struct levels_cell **cells)
{
    const struct sampled sampled = sampled_of(dataset);
    size_t count = count_cells(&sampled, row);
    *cells = NULL;
    if (count) {
        *cells = memory_new(count, sizeof **cells);
        fill_cells(&sampled, row, *cells);
    }
    return count;
}

/* ---- All rows: in portions, whose samples and cells leave the memory before the next ---- */

enum { PORTION = 1 << 14 };

struct filling {
    struct sampled sampled;
    struct summary_cells *cells;
    size_t row; /* where the portion starts */
};

static void count_share(void *context, size_t first, size_t end)
{
    const struct filling *filling = context;
    for (size_t row = filling->row + first; row < filling->row + end; row++)
        filling->cells->first[row + 1] = count_cells(&filling->sampled, row);
}

static void fill_share(void *context, size_t first, size_t end)
{
    const struct filling *filling = context;
    const struct summary_cells *cells = filling->cells;
    for (size_t row = filling->row + first; row < filling->row + end; row++)
        fill_cells(&filling->sampled, row, cells->cell + cells->first[row]);
}

static void reserve(struct summary_cells *cells, size_t *capacity, size_t count)
{
    if (cells->spill) {
        spill_reserve(cells->spill, count * sizeof *cells->cell);
    } else if (count > *capacity) {
        *capacity = 2 * count;
        cells->cell = memory_resize(cells->cell, *capacity, sizeof *cells->cell);
    }
}

struct summary_cells summary_all_cells(const struct dataset *dataset)
{
    size_t rows = dataset->results.rows, capacity = 0;
    struct summary_cells cells = {.rows = rows, .first = memory_new(rows + 1, sizeof *cells.first)};
    struct filling filling = {.sampled = sampled_of(dataset), .cells = &cells};
    cells.spill = dataset->spill ? spill_new() : NULL;
    if (cells.spill)
        cells.cell = spill_base(cells.spill);
    for (; filling.row < rows; filling.row += PORTION) {
        size_t portion = rows - filling.row < PORTION ? rows - filling.row : PORTION;
        thread_share(portion, count_share, &filling);
        for (size_t row = filling.row; row < filling.row + portion; row++)
            cells.first[row + 1] += cells.first[row];
        reserve(&cells, &capacity, cells.first[filling.row + portion] + 1); /* there may be none */
        thread_share(portion, fill_share, &filling);
        dataset_evict(dataset);
        summary_cells_evict(&cells);
    }
    return cells;
}

void summary_cells_evict(const struct summary_cells *cells)
{
    if (cells->spill)
        spill_evict(cells->spill);
}

void summary_cells_free(struct summary_cells *cells)
{
    if (cells->spill)
        spill_free(cells->spill);
    else
        free(cells->cell);
    free(cells->first);
    *cells = (struct summary_cells){0};
}

size_t summary_row_cells(const struct summary_cells *cells, size_t row, const struct levels_cell **cell)
{
    *cell = cells->cell + cells->first[row];
    return cells->first[row + 1] - cells->first[row];
}

struct pooling summary_pooling_of(const struct summary_cells *cells)
{
    size_t rows = cells->rows, units = 0;
    struct levels *levels = memory_new(rows ? rows : 1, sizeof *levels);
    struct levels_unit *unit = memory_new(cells->first[rows] + 1, sizeof *unit);
    for (size_t row = 0; row < rows; row++) {
        const struct levels_cell *cell;
        size_t count = summary_row_cells(cells, row, &cell);
        struct levels own = levels_of(cell, count);
        levels[row] = own;
        levels[row].unit = unit + units;
        if (own.count)
            memcpy(levels[row].unit, own.unit, own.count * sizeof *unit);
        units += own.count;
        levels_free(&own);
        if (row % PORTION == 0)
            summary_cells_evict(cells);
    }
    struct pooling pooling = pooling_of(levels, rows);
    free(unit);
    free(levels);
    return pooling;
}

/* ---- Filling rows ---- */

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
    const struct sampled sampled = sampled_of(dataset);
    const struct sample *sample = samples_of(&sampled, row, &count);
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

/* A wider interval says nothing, and is missing: two processes that differ by a factor of ten have one over 13 powers of ten. */
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

static void fill_row(struct dataset *dataset, size_t row, const struct levels_cell *cells, size_t count,
                     const struct pooling *pooling)
{
    if (count)
        fill_levels(dataset, row, cells, count);
    if (count > 1) {
        struct levels_estimate estimate =
            pooling ? pooling_estimate(pooling, cells, count) : levels_estimate_alone(cells, count);
        fill_scatter(dataset, row);
        fill_estimate(dataset, row, &estimate);
    }
}

struct filling_stale {
    struct dataset *dataset;
    struct row_index *index;
    struct index_columns columns;
};

static void fill_stale_share(void *context, size_t first, size_t end)
{
    const struct filling_stale *filling = context;
    struct frame *results = &filling->dataset->results;
    struct row_check check = row_check_new(filling->dataset);
    size_t size = (size_t)results->columns * sizeof(union cell);
    union cell *before = memory_new(1, size);
    for (size_t row = first; row < end; row++) {
        if (!filling->index->facts[row].stale)
            continue;
        union cell *cell = frame_row(results, row);
        memcpy(before, cell, size);
        struct levels_cell *cells;
        size_t count = summary_cells(filling->dataset, row, &cells);
        fill_row(filling->dataset, row, cells, count, NULL);
        free(cells);
        if (row_check_values(&check, cell, row, NULL) != 0)
            memcpy(cell, before, size);
        filling->index->facts[row] = row_facts_read(&filling->columns, cell);
    }
    free(before);
    row_check_free(&check);
}

void summary_fill_stale(struct dataset *dataset, struct row_index *index)
{
    struct filling_stale filling = {dataset, index, index_columns_of(&dataset->results)};
    thread_share(index->rows, fill_stale_share, &filling);
}

struct filling_rows {
    struct dataset *dataset;
    const struct summary_cells *cells;
    struct pooling pooling;
    size_t row; /* where the portion starts */
};

static void fill_rows_share(void *context, size_t first, size_t end)
{
    const struct filling_rows *filling = context;
    for (size_t row = filling->row + first; row < filling->row + end; row++) {
        const struct levels_cell *cell;
        size_t count = summary_row_cells(filling->cells, row, &cell);
        fill_row(filling->dataset, row, cell, count, &filling->pooling);
    }
}

void summary_fill_all(struct dataset *dataset)
{
    struct summary_cells cells = summary_all_cells(dataset);
    struct filling_rows filling = {dataset, &cells, summary_pooling_of(&cells), 0};
    for (size_t rows = dataset->results.rows; filling.row < rows; filling.row += PORTION) {
        thread_share(rows - filling.row < PORTION ? rows - filling.row : PORTION, fill_rows_share, &filling);
        dataset_evict(dataset);
        summary_cells_evict(&cells);
    }
    summary_cells_free(&cells);
}
