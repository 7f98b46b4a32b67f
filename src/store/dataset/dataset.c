#include "store/dataset/dataset.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "store/dataset/invariants.h"

static struct frame new_timeline(void)
{
    struct frame timeline = frame_new();
#define X(name, type, role, unit, meaning)                                                                   \
    frame_add_column(&timeline, #name, COLUMN_##type, ROLE_##role, unit, meaning);
    TIMELINE_COLUMNS(X)
#undef X
    return timeline;
}

struct dataset dataset_new(void)
{
    return (struct dataset){.results = frame_new(),
                            .devices = frame_new(),
                            .sources = frame_new(),
                            .timeline = new_timeline(),
                            .job = memory_text(""),
                            .job_path = memory_text("")};
}

void dataset_find_columns(struct dataset *dataset)
{
    for (int i = 0; i < FIXED_COUNT; i++)
        dataset->columns.fixed[i] = frame_find(&dataset->results, column_fixed[i].name);
    for (int i = 0; i < REAL_COUNT; i++)
        dataset->columns.real[i] = frame_find(&dataset->results, column_reals[i].name);
}

struct row_key dataset_key(const struct dataset *dataset, const union cell *cell)
{
    const int *fixed = dataset->columns.fixed;
    return row_key_of(strtoull(cell[fixed[FIXED_id]].text, NULL, 16), cell[fixed[FIXED_repeat]].integer,
                      cell[fixed[FIXED_device]].integer);
}

size_t dataset_settle_row(struct dataset *dataset)
{
    struct frame *results = &dataset->results;
    size_t row = results->rows - 1;
    struct row_key key = dataset_key(dataset, frame_row(results, row));
    size_t old = row_index_find(&dataset->index, key);
    if (old == ROW_NONE) {
        row_index_add(&dataset->index, key);
        return row;
    }
    frame_copy_row(results, old, row);
    results->rows--;
    return old;
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
    row_index_free(&dataset->index);
    free(dataset->samples);
    frame_free(&dataset->timeline);
    dataset->samples = NULL;
    dataset->sample_count = 0;
}

void dataset_free(struct dataset *dataset)
{
    dataset_drop_rows(dataset);
    frame_free(&dataset->devices);
    frame_free(&dataset->sources);
    free(dataset->job);
    free(dataset->job_path);
    free(dataset->foreign);
    free(dataset->lost_timeline);
    dataset_free_pairs(dataset->environment, dataset->environment_count);
    *dataset = (struct dataset){0};
}

bool dataset_is_point(const struct dataset *dataset, size_t row)
{
    return frame_find_integer(&dataset->results, row, COLUMN(repeat)) <= 0; /* also where there is none */
}

enum status dataset_status(const struct dataset *dataset, size_t row)
{
    int status = text_find(status_words, frame_find_text(&dataset->results, row, COLUMN(status)));
    return status < 0 ? STATUS_FAILED : (enum status)status;
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

uint64_t dataset_noted(const struct dataset *dataset, const char *name, uint64_t standard)
{
    for (int i = 0; i < dataset->environment_count; i++)
        if (dataset->environment[i].run == dataset->mark.run && !strcmp(dataset->environment[i].name, name))
            return strtoull(dataset->environment[i].value, NULL, 10);
    return standard;
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

struct device dataset_device(const struct dataset *dataset, size_t row)
{
    struct device device = device_unknown();
    const struct frame *devices = &dataset->devices;
    for (int i = 0; i < column_device_count; i++) {
        const struct column_info *info = &column_devices[i].info;
        int column = frame_find_as(devices, info->name, info->type);
        char *to = (char *)&device + column_devices[i].offset;
        if (column < 0 || frame_is_missing(&devices->column[column], *frame_cell(devices, row, column)))
            continue;
        if (info->type == COLUMN_TEXT)
            snprintf(to, DEVICE_TEXT_SIZE, "%s", frame_cell(devices, row, column)->text);
        else
            memcpy(to, frame_cell(devices, row, column), sizeof(union cell));
    }
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

/* For a file whose /columns has no roles. */
static void guess_roles(struct dataset *dataset)
{
    struct frame *results = &dataset->results, *devices = &dataset->devices;
    for (int i = 0; i < results->columns; i++)
        results->column[i].role = column_role_guess(results->column[i].name, results->column[i].type);
    for (int i = 0; i < devices->columns; i++)
        devices->column[i].role = ROLE_ENVIRONMENT;
}

/* Adds the columns of one table, but for those that are always there, and those whose type is wrong here. */
static void expect(struct frame *frame, const char *table, const struct frame *columns)
{
    for (size_t row = 0; row < columns->rows && frame->columns < DATASET_COLUMNS_MAX; row++) {
        const char *name = frame_find_text(columns, row, COLUMN(name));
        int type = text_find(column_type_words, frame_find_text(columns, row, COLUMN(type)));
        if (type < 0 || !*name || strcmp(frame_find_text(columns, row, COLUMN(table)), table) != 0 ||
            invariants_is_required(name))
            continue;
        int known = invariants_type_of(table, name);
        if (known < 0 || known == type)
            frame_join_column(frame, name, (enum column_type)type, ROLE_OTHER, "", "");
    }
}

void dataset_expect(struct dataset *dataset, const struct frame *columns)
{
    expect(&dataset->results, "results", columns);
    expect(&dataset->devices, "devices", columns);
}

/* Columns that another program has added to a file with roles keep none. */
static void describe(struct frame *frame, const char *table, const struct frame *columns)
{
    int of = frame_find_as(columns, COLUMN(table), COLUMN_TEXT),
        name = frame_find_as(columns, COLUMN(name), COLUMN_TEXT),
        role = frame_find_as(columns, COLUMN(role), COLUMN_TEXT);
    int unit = frame_find_as(columns, COLUMN(unit), COLUMN_TEXT),
        meaning = frame_find_as(columns, COLUMN(meaning), COLUMN_TEXT);
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
    if (frame_find_as(columns, COLUMN(role), COLUMN_TEXT) < 0)
        guess_roles(dataset);
    describe(&dataset->results, "results", columns);
    describe(&dataset->devices, "devices", columns);
    describe(&dataset->timeline, "timeline", columns);
}

void dataset_reserve_samples(struct dataset *dataset, size_t more)
{
    size_t needed = dataset->sample_count + more;
    if (dataset->samples && needed <= dataset->sample_capacity)
        return;
    dataset->sample_capacity = needed > 2 * dataset->sample_capacity ? needed : 2 * dataset->sample_capacity;
    dataset->samples = memory_resize(dataset->samples, dataset->sample_capacity, sizeof *dataset->samples);
}

void dataset_add_samples(struct dataset *dataset, const struct sample *sample, size_t count)
{
    dataset_reserve_samples(dataset, count);
    for (size_t i = 0; i < count; i++) {
        dataset->samples[dataset->sample_count++] = sample[i];
        if (sample[i].process >= dataset->next_process)
            dataset->next_process = sample[i].process + 1;
    }
}

void dataset_pack_samples(struct dataset *dataset)
{
    struct frame *results = &dataset->results;
    int offset = dataset->columns.fixed[FIXED_sample_offset],
        count = dataset->columns.fixed[FIXED_sample_count];
    struct sample *packed = memory_new(dataset->sample_count + 1, sizeof *packed);
    size_t at = 0;
    for (size_t row = 0; row < results->rows; row++) {
        union cell *cell = frame_row(results, row);
        size_t samples = (size_t)cell[count].integer;
        if (samples)
            memcpy(packed + at, dataset->samples + cell[offset].integer, samples * sizeof *packed);
        cell[offset].integer = (int64_t)at;
        at += samples;
    }
    free(dataset->samples);
    dataset->samples = packed;
    dataset->sample_capacity = dataset->sample_count + 1;
    dataset->sample_count = at;
}

/* ---- Sources ---- */

bool dataset_has_source(const struct frame *sources, size_t rows, const char *name)
{
    for (size_t i = 0; i < rows; i++)
        if (!strcmp(frame_find_text(sources, i, COLUMN(name)), name))
            return true;
    return false;
}

void dataset_add_sources(struct dataset *dataset, const struct frame *sources)
{
    struct frame *own = &dataset->sources;
    const size_t before = own->rows;
    int name = frame_join_column(own, COLUMN(name), COLUMN_TEXT, ROLE_OTHER, "", ""),
        text = frame_join_column(own, COLUMN(text), COLUMN_TEXT, ROLE_OTHER, "", "");
    const char *last = NULL;
    bool known = false;
    for (size_t row = 0; row < sources->rows; row++) { /* those of a file follow each other */
        const char *of = frame_find_text(sources, row, COLUMN(name));
        if (!last || strcmp(of, last) != 0)
            known = dataset_has_source(own, before, of);
        last = of;
        if (known)
            continue;
        frame_add_row(own);
        frame_put_text(own, own->rows - 1, name, of);
        frame_put_text(own, own->rows - 1, text, frame_find_text(sources, row, COLUMN(text)));
    }
}

/* ---- The timeline ---- */

void dataset_add_phase(struct dataset *dataset, const struct phase_row *of)
{
    struct frame *timeline = &dataset->timeline;
    char point[20] = "";
    size_t row = timeline->rows;
    if (of->sum.point)
        snprintf(point, sizeof point, "%016" PRIx64, of->sum.point);
    frame_add_row(timeline);
    frame_put_integer(timeline, row, TIMELINE_run, of->run);
    frame_put_integer(timeline, row, TIMELINE_rank, of->rank);
    frame_put_integer(timeline, row, TIMELINE_device, of->device);
    frame_put_text(timeline, row, TIMELINE_lane, lane_words[of->lane]);
    frame_put_text(timeline, row, TIMELINE_phase, phase_words[of->sum.phase]);
    frame_put_text(timeline, row, TIMELINE_point, point);
    frame_put_integer(timeline, row, TIMELINE_parts, of->sum.parts);
    frame_put_real(timeline, row, TIMELINE_start, of->start);
    frame_put_real(timeline, row, TIMELINE_end, of->start + of->sum.seconds);
    if (invariants_phase(dataset, row, NULL) != 0)
        timeline->rows--; /* readers would leave out all of them */
}

void dataset_leave_out_timeline(struct dataset *dataset, const char *why)
{
    frame_free(&dataset->timeline);
    dataset->timeline = new_timeline();
    free(dataset->lost_timeline);
    dataset->lost_timeline = memory_text(why);
}
