#include "store/contents.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/spill.h"
#include "core/device.h"
#include "core/result.h"

struct dataset contents_new(bool spilled)
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

void contents_rest(const struct dataset *dataset)
{
    frame_rest(&dataset->results);
    if (dataset->spill)
        spill_rest(dataset->spill);
    if (dataset->span_spill)
        spill_rest(dataset->span_spill);
}

void contents_free_pairs(struct store_pair *pair, int count)
{
    for (int i = 0; i < count; i++) {
        free(pair[i].name);
        free(pair[i].value);
    }
    free(pair);
}

void dataset_free(struct dataset *dataset)
{
    frame_free(&dataset->results);
    frame_free(&dataset->devices);
    if (dataset->spill)
        spill_free(dataset->spill);
    else
        free(dataset->samples);
    if (dataset->span_spill)
        spill_free(dataset->span_spill);
    else
        free(dataset->spans);
    free(dataset->job);
    free(dataset->job_path);
    contents_free_pairs(dataset->environment, dataset->environment_count);
    *dataset = (struct dataset){0};
}

const char *dataset_environment(const struct dataset *dataset, const char *name)
{
    for (int i = 0; i < dataset->environment_count; i++)
        if (!strcmp(dataset->environment[i].name, name))
            return dataset->environment[i].value;
    return NULL;
}

static const char *const type_words[] = {"whole numbers", "real numbers", "texts"};

/* A column that is there and of another type than this release writes it. */
static int check_type(const struct frame *frame, const char *table, const char *name, enum column_type wanted,
                      char *why, size_t size)
{
    int column = frame_find(frame, name);
    if (column < 0 || frame->column[column].type == wanted)
        return 0;
    snprintf(why, size, "the column %s of /%s holds %s instead of %s", name, table,
             type_words[frame->column[column].type], type_words[wanted]);
    return -1;
}

static int check_device_columns(const struct frame *devices, char *why, size_t size)
{
    int failed = 0;
#define X(name, unit, meaning)                                                                               \
    failed = failed || check_type(devices, "devices", #name, COLUMN_TEXT, why, size);
    DEVICE_TEXTS(X)
#undef X
#define X(name, unit, meaning)                                                                               \
    failed = failed || check_type(devices, "devices", #name, COLUMN_INTEGER, why, size);
    DEVICE_INTS(X)
#undef X
#define X(name, unit, meaning)                                                                               \
    failed = failed || check_type(devices, "devices", #name, COLUMN_REAL, why, size);
    DEVICE_REALS(X)
#undef X
    return failed ? -1 : 0;
}

int contents_check_columns(const struct dataset *dataset, char *why, size_t size)
{
    static const enum fixed_column required[] = {FIXED_id,          FIXED_kernel, FIXED_repeat,
                                                 FIXED_status,      FIXED_device, FIXED_sample_offset,
                                                 FIXED_sample_count};
    for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
        if (frame_find(&dataset->results, column_fixed[required[i]].name) >= 0)
            continue;
        snprintf(why, size, "/results lacks the column %s, which every results file has",
                 column_fixed[required[i]].name);
        return -1;
    }
    for (int i = 0; i < FIXED_COUNT; i++)
        if (check_type(&dataset->results, "results", column_fixed[i].name, column_fixed[i].type, why, size) !=
            0)
            return -1;
    for (int i = 0; i < REAL_COUNT; i++)
        if (check_type(&dataset->results, "results", column_reals[i].name, COLUMN_REAL, why, size) != 0)
            return -1;
    return check_device_columns(&dataset->devices, why, size);
}

int contents_check_samples(const struct dataset *dataset, const struct sample *sample, size_t first,
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

void contents_note_process(struct dataset *dataset, uint32_t process)
{
    if (process >= dataset->next_process)
        dataset->next_process = process + 1;
}

int contents_check_rows(const struct dataset *dataset, struct row_check *check, const union cell *cell,
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
            snprintf(why, size, "row %zu of /results names samples that are not there, or another row's",
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

/* Roles for a file whose /columns has none. */
static void guess_roles(struct dataset *dataset)
{
    struct frame *results = &dataset->results, *devices = &dataset->devices;
    for (int i = 0; i < results->columns; i++)
        results->column[i].role = column_role_guess(results->column[i].name, results->column[i].type);
    for (int i = 0; i < devices->columns; i++)
        devices->column[i].role = ROLE_ENVIRONMENT;
}

/* Give the columns of `frame` the roles, units and meanings that /columns has for them. What somebody else
 * has added to a file that tells roles has none. */
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

void contents_describe(struct dataset *dataset, const struct frame *columns)
{
    if (find_text(columns, COLUMN(role)) < 0)
        guess_roles(dataset);
    describe(&dataset->results, "results", columns);
    describe(&dataset->devices, "devices", columns);
}

void contents_reserve_samples(struct dataset *dataset, size_t more)
{
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

void contents_add_samples(struct dataset *dataset, const struct sample *sample, size_t count)
{
    contents_reserve_samples(dataset, count);
    if (dataset->spill)
        spill_put(dataset->spill, dataset->sample_count * sizeof *sample, sample, count * sizeof *sample);
    else if (count)
        memcpy(dataset->samples + dataset->sample_count, sample, count * sizeof *sample);
    dataset->sample_count += count;
}

void contents_pack_samples(struct dataset *dataset)
{
    if (dataset->spill)
        return; /* what is spilled never moves: hdf5_write puts it in order */
    struct frame *results = &dataset->results;
    int offset = frame_find(results, COLUMN(sample_offset)),
        count = frame_find(results, COLUMN(sample_count));
    size_t packed = 0;
    bool in_order = true;
    for (size_t row = 0; row < results->rows; row++) {
        const union cell *cell = frame_row(results, row);
        in_order = in_order && (size_t)cell[offset].integer == packed;
        packed += (size_t)cell[count].integer;
    }
    if (in_order && packed == dataset->sample_count)
        return;
    struct dataset sorted = {0};
    contents_reserve_samples(&sorted, packed);
    for (size_t row = 0; row < results->rows; row++) {
        union cell *cell = frame_row(results, row);
        size_t samples = (size_t)cell[count].integer;
        if (samples)
            memcpy(sorted.samples + sorted.sample_count, dataset->samples + cell[offset].integer,
                   samples * sizeof *sorted.samples);
        cell[offset].integer = (int64_t)sorted.sample_count;
        sorted.sample_count += samples;
    }
    free(dataset->samples);
    dataset->samples = sorted.samples;
    dataset->sample_count = sorted.sample_count;
    dataset->sample_capacity = sorted.sample_capacity;
}
