#include "store/dataset/dataset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/spill.h"

struct dataset dataset_new(bool spilled)
{
    struct dataset dataset = {.results = spilled ? frame_new_spilled() : frame_new(),
                              .devices = frame_new(),
                              .job = memory_text(""),
                              .job_path = memory_text("")};
    dataset.spill = spilled ? spill_new() : NULL;
    if (dataset.spill)
        dataset.samples = spill_base(dataset.spill);
    dataset.span_spill = spilled ? spill_new() : NULL;
    if (dataset.span_spill)
        dataset.spans = spill_base(dataset.span_spill);
    return dataset;
}

void dataset_evict(const struct dataset *dataset)
{
    frame_evict(&dataset->results);
    if (dataset->spill)
        spill_evict(dataset->spill);
    if (dataset->span_spill)
        spill_evict(dataset->span_spill);
}

void dataset_evict_at(const struct dataset *dataset, size_t row)
{
    enum { ROWS = 1 << 14 };
    if (row % ROWS == 0)
        dataset_evict(dataset);
}

void dataset_free_pairs(struct store_pair *pair, int count)
{
    for (int i = 0; i < count; i++) {
        free(pair[i].name);
        free(pair[i].value);
    }
    free(pair);
}

void dataset_drop_rows(struct dataset *dataset)
{
    frame_free(&dataset->results);
    if (dataset->spill)
        spill_free(dataset->spill);
    else
        free(dataset->samples);
    if (dataset->span_spill)
        spill_free(dataset->span_spill);
    else
        free(dataset->spans);
    dataset->spill = dataset->span_spill = NULL;
    dataset->samples = NULL;
    dataset->spans = NULL;
    dataset->sample_count = dataset->span_count = 0;
}

void dataset_free(struct dataset *dataset)
{
    dataset_drop_rows(dataset);
    frame_free(&dataset->devices);
    free(dataset->job);
    free(dataset->job_path);
    dataset_free_pairs(dataset->environment, dataset->environment_count);
    *dataset = (struct dataset){0};
}

const char *dataset_environment(const struct dataset *dataset, const char *name)
{
    for (int i = 0; i < dataset->environment_count; i++)
        if (!strcmp(dataset->environment[i].name, name))
            return dataset->environment[i].value;
    return NULL;
}

void dataset_add_environment(struct dataset *dataset, const struct store_pair *pair, int count)
{
    struct store_pair *all = memory_new((size_t)(count + dataset->environment_count) + 1, sizeof *all);
    for (int i = 0; i < count; i++)
        all[i] = (struct store_pair){memory_text(pair[i].name), memory_text(pair[i].value), pair[i].run};
    if (dataset->environment_count)
        memcpy(all + count, dataset->environment, (size_t)dataset->environment_count * sizeof *all);
    free(dataset->environment);
    dataset->environment = all;
    dataset->environment_count += count;
}

static int64_t device_integer(const struct frame *devices, size_t row, const char *name)
{
    int column = frame_find(devices, name);
    bool there = column >= 0 && devices->column[column].type == COLUMN_INTEGER;
    return there ? frame_cell(devices, row, column)->integer : -1;
}

struct device dataset_device(const struct dataset *dataset, size_t row)
{
    struct device device = device_unknown();
    const struct frame *devices = &dataset->devices;
    snprintf(device.name, sizeof device.name, "%s", frame_find_text(devices, row, DEVICE_COLUMN(name)));
    snprintf(device.backend, sizeof device.backend, "%s",
             frame_find_text(devices, row, DEVICE_COLUMN(backend)));
    device.capability = device_integer(devices, row, DEVICE_COLUMN(capability));
    device.multiprocessors = device_integer(devices, row, DEVICE_COLUMN(multiprocessors));
    device.memory_bytes = device_integer(devices, row, DEVICE_COLUMN(memory_bytes));
    return device;
}

bool dataset_has_product(const struct dataset *dataset, const struct device *device)
{
    for (size_t row = 0; row < dataset->devices.rows; row++) {
        struct device there = dataset_device(dataset, row);
        if (device_same_product(&there, device))
            return true;
    }
    return false;
}

static const char *const type_words[] = {"integer", "real", "text"};

/* The column is missing, or has the type that this release writes. */
static int check_type(const struct frame *frame, const char *table, const char *name, enum column_type wanted,
                      char *why, size_t size)
{
    int column = frame_find(frame, name);
    if (column < 0 || frame->column[column].type == wanted)
        return 0;
    snprintf(why, size, "/%s column '%s' has type %s, expected %s", table, name,
             type_words[frame->column[column].type], type_words[wanted]);
    return -1;
}

int dataset_check_columns(const struct dataset *dataset, char *why, size_t size)
{
    static const enum fixed_column required[] = {FIXED_id,          FIXED_kernel, FIXED_repeat,
                                                 FIXED_status,      FIXED_device, FIXED_sample_offset,
                                                 FIXED_sample_count};
    for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
        if (frame_find(&dataset->results, column_fixed[required[i]].name) >= 0)
            continue;
        snprintf(why, size, "/results has no column '%s'", column_fixed[required[i]].name);
        return -1;
    }
    for (int i = 0; i < FIXED_COUNT; i++)
        if (check_type(&dataset->results, "results", column_fixed[i].name, column_fixed[i].type, why, size) !=
            0)
            return -1;
    for (int i = 0; i < REAL_COUNT; i++)
        if (check_type(&dataset->results, "results", column_reals[i].name, COLUMN_REAL, why, size) != 0)
            return -1;
    for (int i = 0; i < column_device_count; i++)
        if (check_type(&dataset->devices, "devices", column_devices[i].info.name, column_devices[i].info.type,
                       why, size) != 0)
            return -1;
    return 0;
}

int dataset_check_samples(const struct dataset *dataset, const struct sample *sample, size_t first,
                          size_t count, char *why, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(sample[i].seconds)) {
            snprintf(why, size, "row %zu of /samples has no time", first + i);
            return -1;
        }
        if (sample[i].device < 0 || (uint32_t)sample[i].device < dataset->devices.rows)
            continue;
        snprintf(why, size, "row %zu of /samples names device %d; /devices has %zu", first + i,
                 (int)sample[i].device, dataset->devices.rows);
        return -1;
    }
    return 0;
}

void dataset_note_process(struct dataset *dataset, uint32_t process)
{
    if (process >= dataset->next_process)
        dataset->next_process = process + 1;
}

int dataset_check_rows(const struct dataset *dataset, struct row_check *check, const union cell *cell,
                       size_t rows, char *why, size_t size)
{
    const struct frame *results = &dataset->results;
    int offset = frame_find(results, COLUMN(sample_offset)),
        count = frame_find(results, COLUMN(sample_count));
    int device = frame_find(results, COLUMN(device));
    int64_t all = (int64_t)dataset->sample_count;
    for (; rows; rows--, check->row++, cell += results->columns) {
        int64_t first = cell[offset].integer, samples = cell[count].integer;
        if (first < 0 || samples < 0 || first > all || samples > all - first ||
            samples > all - check->named) {
            snprintf(why, size,
                     "row %zu of /results names samples that do not exist, or those of another row",
                     check->row);
            return -1;
        }
        check->named += samples;
        if (cell[device].integer >= 0 && (uint64_t)cell[device].integer >= dataset->devices.rows) {
            snprintf(why, size, "row %zu of /results names device %lld; /devices has %zu", check->row,
                     (long long)cell[device].integer, dataset->devices.rows);
            return -1;
        }
    }
    return 0;
}

/* The index of a text column, or -1. */
static int find_text(const struct frame *frame, const char *name)
{
    int column = frame_find(frame, name);
    return column >= 0 && frame->column[column].type == COLUMN_TEXT ? column : -1;
}

/* For a file whose /columns has no roles. */
static void guess_roles(struct dataset *dataset)
{
    struct frame *results = &dataset->results, *devices = &dataset->devices;
    for (int i = 0; i < results->columns; i++)
        results->column[i].role = column_role_guess(results->column[i].name, results->column[i].type);
    for (int i = 0; i < devices->columns; i++)
        devices->column[i].role = ROLE_ENVIRONMENT;
}

/* Columns that another program has added to a file with roles keep none. */
static void describe(struct frame *frame, const char *table, const struct frame *columns)
{
    int of = find_text(columns, COLUMN(table)), name = find_text(columns, COLUMN(name)),
        role = find_text(columns, COLUMN(role));
    int unit = find_text(columns, COLUMN(unit)), meaning = find_text(columns, COLUMN(meaning));
    if (of < 0 || name < 0 || unit < 0 || meaning < 0)
        return;
    for (size_t row = 0; row < columns->rows; row++) {
        const union cell *cell = frame_row(columns, row);
        int index = strcmp(cell[of].text, table) == 0 ? frame_find(frame, cell[name].text) : -1;
        if (index < 0)
            continue;
        struct column *column = &frame->column[index];
        if (role >= 0)
            column->role = column_role_named(cell[role].text);
        snprintf(column->unit, sizeof column->unit, "%s", cell[unit].text);
        snprintf(column->meaning, sizeof column->meaning, "%s", cell[meaning].text);
    }
}

void dataset_describe(struct dataset *dataset, const struct frame *columns)
{
    if (find_text(columns, COLUMN(role)) < 0)
        guess_roles(dataset);
    describe(&dataset->results, "results", columns);
    describe(&dataset->devices, "devices", columns);
}

void dataset_reserve_samples(struct dataset *dataset, size_t more)
{
    if (dataset->samples_dropped)
        return;
    size_t needed = dataset->sample_count + more;
    if (dataset->spill) {
        spill_reserve(dataset->spill, needed * sizeof *dataset->samples);
        return;
    }
    if (dataset->samples && needed <= dataset->sample_capacity)
        return;
    size_t capacity = 2 * dataset->sample_capacity;
    dataset->sample_capacity = needed > capacity ? needed : capacity;
    dataset->samples = memory_resize(dataset->samples, dataset->sample_capacity, sizeof *dataset->samples);
}

void dataset_add_samples(struct dataset *dataset, const struct sample *sample, size_t count)
{
    dataset_reserve_samples(dataset, count);
    if (dataset->samples_dropped)
        ;
    else if (dataset->spill)
        spill_put(dataset->spill, dataset->sample_count * sizeof *sample, sample, count * sizeof *sample);
    else if (count)
        memcpy(dataset->samples + dataset->sample_count, sample, count * sizeof *sample);
    dataset->sample_count += count;
}

/* ---- The timeline ---- */

#define OVERLAP_MAX 1e-6 /* s: rounding errors of two spans that touch */

void dataset_add_span(struct dataset *dataset, const struct span *span)
{
    if (dataset->span_spill)
        spill_reserve(dataset->span_spill, (dataset->span_count + 1) * sizeof *dataset->spans);
    else
        dataset->spans =
            memory_grow(dataset->spans, dataset->span_count, &dataset->span_capacity, sizeof *dataset->spans);
    dataset->spans[dataset->span_count++] = *span;
}

static int by_lane(const void *left, const void *right)
{
    const struct span *a = *(const struct span *const *)left, *b = *(const struct span *const *)right;
    int order = (a->run > b->run) - (a->run < b->run);
    if (!order)
        order = (a->rank > b->rank) - (a->rank < b->rank);
    if (!order)
        order = (a->lane > b->lane) - (a->lane < b->lane);
    return order ? order : (a > b) - (a < b); /* in the order of the table */
}

static int check_overlaps(const struct dataset *dataset, char *why, size_t size)
{
    size_t count = dataset->span_count;
    const struct span **span = memory_new(count + 1, sizeof *span);
    int failed = 0;
    for (size_t i = 0; i < count; i++)
        span[i] = &dataset->spans[i];
    qsort(span, count, sizeof *span, by_lane);
    for (size_t i = 1; i < count && !failed; i++) {
        if (span[i - 1]->run != span[i]->run || span[i - 1]->rank != span[i]->rank ||
            span[i - 1]->lane != span[i]->lane || span[i]->start >= span[i - 1]->end - OVERLAP_MAX)
            continue;
        snprintf(why, size,
                 "row %zu of /timeline starts at %.6f s, before row %zu of its lane ends at %.6f s",
                 (size_t)(span[i] - dataset->spans), span[i]->start, (size_t)(span[i - 1] - dataset->spans),
                 span[i - 1]->end);
        failed = -1;
    }
    free(span);
    return failed;
}

int dataset_check_spans(const struct dataset *dataset, bool strict, char *why, size_t size)
{
    for (size_t i = 0; i < dataset->span_count; i++) {
        const struct span *span = &dataset->spans[i];
        dataset_evict_at(dataset, i);
        if (span->device >= 0 && (uint32_t)span->device >= dataset->devices.rows) {
            snprintf(why, size, "row %zu of /timeline names device %d; /devices has %zu", i,
                     (int)span->device, dataset->devices.rows);
            return -1;
        }
        if (!isfinite(span->start) || !isfinite(span->end) || span->end < span->start || span->rank < 0) {
            snprintf(why, size, "row %zu of /timeline is not a span of time of a rank", i);
            return -1;
        }
    }
    return strict ? check_overlaps(dataset, why, size) : 0;
}
