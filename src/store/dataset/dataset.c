#include "store/dataset/dataset.h"

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
    free(dataset->salvaged);
    free(dataset->lost_timeline);
    dataset_free_pairs(dataset->environment, dataset->environment_count);
    *dataset = (struct dataset){0};
}

bool dataset_is_point(const struct dataset *dataset, size_t row)
{
    return frame_find_integer(&dataset->results, row, COLUMN(repeat)) <= 0; /* also where there is none */
}

int64_t dataset_device_of(const struct dataset *dataset, size_t row)
{
    int64_t device = frame_find_integer(&dataset->results, row, COLUMN(device));
    return device >= 0 && (uint64_t)device < dataset->devices.rows ? device : -1;
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

void dataset_note_process(struct dataset *dataset, uint32_t process)
{
    if (process >= dataset->next_process)
        dataset->next_process = process + 1;
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

void dataset_add_span(struct dataset *dataset, const struct span *span)
{
    if (dataset->span_spill)
        spill_reserve(dataset->span_spill, (dataset->span_count + 1) * sizeof *dataset->spans);
    else
        dataset->spans =
            memory_grow(dataset->spans, dataset->span_count, &dataset->span_capacity, sizeof *dataset->spans);
    dataset->spans[dataset->span_count++] = *span;
}

void dataset_leave_out_timeline(struct dataset *dataset, const char *why)
{
    dataset->span_count = 0;
    free(dataset->lost_timeline);
    dataset->lost_timeline = memory_text(why);
}
