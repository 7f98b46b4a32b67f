#include "store/schema.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "core/metric.h"
#include "store/dataset/admission.h"

static int join(struct frame *results, const struct column_info *column)
{
    return frame_join_column(results, column->name, column->type, column->role, column->unit,
                             column->meaning);
}

static void add_axes(struct frame *results, const struct space *space)
{
    for (int i = 0; i < space->count; i++) {
        const struct axis *axis = &space->axes[i];
        assert(!column_is_reserved(axis->name)); /* src/family/code/plugin.c */
        frame_join_column(results, axis->name, axis_is_text(axis) ? COLUMN_TEXT : COLUMN_INTEGER, ROLE_AXIS,
                          axis->unit, axis->summary);
    }
}

static int add_counters(struct schema *schema, struct frame *results, const struct store_head *head,
                        struct error *error)
{
    for (int i = 0; i < head->counter_count && i < RESULT_COUNTERS_MAX; i++) {
        const struct metric *metric = metric_find(head->counter[i]);
        int column = -1;
        if (!column_is_reserved(head->counter[i]))
            column = frame_add_column(results, head->counter[i], COLUMN_REAL, ROLE_COUNTER,
                                      metric ? metric->unit : "",
                                      metric ? metric->meaning : "hardware counter, by CUPTI's name");
        if (column < 0)
            return error_set(error, ERROR_ENVIRONMENT,
                             "counter '%s' has the name of another column of the results file",
                             head->counter[i]);
        schema->counter[schema->counters++] = column;
    }
    return 0;
}

int schema_make(struct schema *schema, struct dataset *dataset, const struct store_head *head,
                struct error *error)
{
    size_t spaces = 0;
    while (head->spaces[spaces++]) /* the last one, which is none, too */
        ;
    *schema = (struct schema){.space = memory_new(spaces, sizeof *schema->space)};
    memcpy(schema->space, head->spaces, spaces * sizeof *schema->space);
    struct frame *results = &dataset->results;
    for (int i = 0; i <= FIXED_kernel; i++)
        join(results, &column_fixed[i]);
    for (const struct space *const *space = head->spaces; *space; space++)
        add_axes(results, *space);
    for (int i = FIXED_kernel + 1; i < FIXED_COUNT; i++)
        join(results, &column_fixed[i]);
    for (int i = 0; i < REAL_COUNT; i++)
        join(results, &column_reals[i]);
    if (add_counters(schema, results, head, error) != 0)
        return -1;
    dataset_find_columns(dataset);
    struct frame *devices = &dataset->devices;
    for (int i = 0; i < column_device_count; i++)
        join(devices, &column_devices[i].info);
    return 0;
}

static void put_text(struct dataset *dataset, size_t row, enum fixed_column column, const char *text)
{
    frame_put_text(&dataset->results, row, dataset->columns.fixed[column], text);
}

static void put_integer(struct dataset *dataset, size_t row, enum fixed_column column, int64_t value)
{
    frame_put_integer(&dataset->results, row, dataset->columns.fixed[column], value);
}

static void put_real(struct dataset *dataset, size_t row, enum result_real column, double value)
{
    frame_put_real(&dataset->results, row, dataset->columns.real[column], value);
}

static void put_axes(struct frame *results, size_t row, const struct point *point)
{
    for (int i = 0; i < point->space->count; i++) {
        const struct axis *axis = &point->space->axes[i];
        int column = frame_find(results, axis->name);
        assert(column >= 0);
        if (axis_is_text(axis)) {
            char text[AXIS_TEXT_SIZE];
            axis_format(axis, point->value[i], text);
            frame_put_text(results, row, column, text);
        } else {
            frame_put_integer(results, row, column, point->value[i]);
        }
    }
}

void schema_hash(uint64_t hash, char text[SCHEMA_HASH_SIZE])
{
    snprintf(text, SCHEMA_HASH_SIZE, "%016" PRIx64, hash);
    if (!hash)
        *text = '\0';
}

static void put_hash(struct dataset *dataset, size_t row, enum fixed_column column, uint64_t hash)
{
    char text[SCHEMA_HASH_SIZE];
    schema_hash(hash, text);
    put_text(dataset, row, column, text);
}

static void put_fixed(struct dataset *dataset, size_t row, int run, const struct point *point,
                      const struct result *result)
{
    char text[RESULT_MESSAGE_SIZE];
    snprintf(text, sizeof text, "%016" PRIx64, result->id);
    put_text(dataset, row, FIXED_id, text);
    put_text(dataset, row, FIXED_kernel, point->space->kernel);
    put_integer(dataset, row, FIXED_repeat, result->repeat);
    put_integer(dataset, row, FIXED_run, run);
    put_text(dataset, row, FIXED_status, status_words[result->status]);
    clean_text(result->message, text, sizeof text);
    put_text(dataset, row, FIXED_message, text);
    put_integer(dataset, row, FIXED_attempts, result->attempts);
    clean_text(result->earlier ? result->earlier : "", text, sizeof text);
    put_text(dataset, row, FIXED_earlier_attempt, text);
    put_text(dataset, row, FIXED_counters_status, counters_words[result->counters]);
    if (result->device >= 0) {
        put_integer(dataset, row, FIXED_device, result->device);
        put_text(dataset, row, FIXED_backend,
                 frame_find_text(&dataset->devices, (size_t)result->device, DEVICE_COLUMN(backend)));
    }
    put_hash(dataset, row, FIXED_paired_with, result->paired_with);
    put_hash(dataset, row, FIXED_code_hash, result->code_hash);
    put_hash(dataset, row, FIXED_launch_hash, result->launch_hash);
    put_hash(dataset, row, FIXED_protocol_hash, result->protocol_hash);
    put_text(dataset, row, FIXED_stop, stop_words[result->stop]);
    put_text(dataset, row, FIXED_timer, timer_words[result->timer]);
    put_text(dataset, row, FIXED_roof, roof_words[result->roof]);
    put_text(dataset, row, FIXED_model, formula_words[result->formula]);
    put_text(dataset, row, FIXED_arithmetic,
             result->arithmetic == ROOF_none ? "" : roof_words[result->arithmetic]);
    summary_put_throttle(dataset, row, throttle_of(result->samples, result->sample_count));
    put_text(dataset, row, FIXED_shared, result->shared);
}

void schema_put_samples(struct dataset *dataset, const struct result *result)
{
    dataset_reserve_samples(dataset, result->sample_count);
    for (uint32_t i = 0; i < result->sample_count; i++) {
        struct sample *sample = &dataset->samples[dataset->sample_count++];
        *sample = result->samples[i];
        sample->process = result->process;
        sample->device = result->device;
    }
}

static void put_samples(struct dataset *dataset, size_t row, const struct result *result)
{
    put_integer(dataset, row, FIXED_sample_count, result->sample_count);
    put_integer(dataset, row, FIXED_sample_offset, (int64_t)dataset->sample_count);
    schema_put_samples(dataset, result);
}

static void put_reals(const struct schema *schema, struct dataset *dataset, size_t row,
                      const struct result *result)
{
    for (int i = 0; i < REAL_COUNT; i++)
        put_real(dataset, row, (enum result_real)i, result->real[i]);
    for (int i = 0; i < schema->counters; i++)
        frame_put_real(&dataset->results, row, schema->counter[i], result->counter[i]);
}

static void put_energy(struct dataset *dataset, size_t row, const struct energy *energy)
{
    char status[sizeof energy->status];
    struct text throttle = {0};
    clean_text(energy->status, status, sizeof status);
    throttle_words(energy->throttle, &throttle);
    put_text(dataset, row, FIXED_energy_status, status);
    put_text(dataset, row, FIXED_energy_throttle, throttle.data ? throttle.data : "");
#define X(name, role, unit, meaning) put_real(dataset, row, REAL_##name, energy->name);
    RESULT_ENERGY(X)
#undef X
    text_free(&throttle);
}

/* Counting again, beside energy that a file lacked, must not lose counters. What comes without energy is news
 * of the counters. */
static bool would_lose(const struct dataset *dataset, size_t row, const struct counted *counted)
{
    const char *before =
        frame_row(&dataset->results, row)[dataset->columns.fixed[FIXED_counters_status]].text;
    return counted->energy.status[0] && counted->state != COUNTERS_COUNTED &&
           !strcmp(before, counters_words[COUNTERS_COUNTED]);
}

static void put_counters(const struct schema *schema, struct dataset *dataset, size_t row,
                         const struct counted *counted)
{
    char why[sizeof counted->why], text[sizeof counted->why + 16];
    clean_text(counted->why, why, sizeof why);
    snprintf(text, sizeof text, "%s%s%s", counters_words[counted->state], why[0] ? ": " : "", why);
    put_text(dataset, row, FIXED_counters_status, text);
    for (int i = 0; i < schema->counters; i++)
        frame_put_real(&dataset->results, row, schema->counter[i],
                       counted->state == COUNTERS_COUNTED ? counted->counter[i] : NAN);
    put_text(dataset, row, FIXED_l2_state, counted->l2_state);
    put_text(dataset, row, FIXED_activity, counted->activity.text);
    put_real(dataset, row, REAL_activity_span, counted->activity.span);
    put_real(dataset, row, REAL_activity_idle, counted->activity.idle);
}

void schema_put_counted(const struct schema *schema, struct dataset *dataset, size_t row,
                        const struct counted *counted)
{
    if (!would_lose(dataset, row, counted))
        put_counters(schema, dataset, row, counted);
    if (counted->energy.status[0])
        put_energy(dataset, row, &counted->energy);
}

int schema_put(const struct schema *schema, struct dataset *dataset, size_t row, int run,
               const struct point *point, const struct result *result, struct error *error)
{
    const struct space *const *space = schema->space;
    while (*space && *space != point->space)
        space++;
    if (!*space)
        return error_set(error, ERROR_ENVIRONMENT, "the results file was not opened for kernel %s",
                         point->space->kernel);
    if (result->device >= 0 && (size_t)result->device >= dataset->devices.rows)
        return error_set(error, ERROR_ENVIRONMENT, "a result names device %d; /devices has %zu",
                         (int)result->device, dataset->devices.rows);
    put_axes(&dataset->results, row, point);
    put_fixed(dataset, row, run, point, result);
    put_reals(schema, dataset, row, result);
    put_samples(dataset, row, result);
    return 0;
}

/* Equal in everything that is not measured; the measured numbers of the first are then used for both, unless
 * one is missing there. */
static bool same_device(const struct frame *devices, size_t there, size_t now)
{
    const union cell *old = frame_row(devices, there), *new = frame_row(devices, now);
    for (int i = 0; i < devices->columns; i++) {
        const struct column *column = &devices->column[i];
        if (!device_is_measured(column->name)) {
            if (!frame_same_cell(column, old[i], new[i]))
                return false;
        } else if (frame_is_missing(column, old[i]) && !frame_is_missing(column, new[i])) {
            return false;
        }
    }
    return true;
}

int schema_put_device(struct dataset *dataset, struct device *device)
{
    struct frame *devices = &dataset->devices;
    size_t row = devices->rows;
    char clean[DEVICE_TEXT_SIZE];
    frame_add_row(devices);
    for (int i = 0; i < column_device_count; i++) {
        const struct column_of_device *column = &column_devices[i];
        const void *value = (const char *)device + column->offset;
        int to = frame_find(devices, column->info.name);
        if (column->info.type == COLUMN_INTEGER) {
            frame_put_integer(devices, row, to, *(const int64_t *)value);
        } else if (column->info.type == COLUMN_REAL) {
            frame_put_real(devices, row, to, *(const double *)value);
        } else {
            clean_text(value, clean, sizeof clean);
            frame_put_text(devices, row, to, clean);
        }
    }
    admit_device(dataset, row);
    size_t known = 0;
    int uuid = frame_find(devices,
                          DEVICE_COLUMN(uuid)); /* equal ones are equal pointers: there may be ten thousand */
    while (known < row && (frame_row(devices, known)[uuid].text != frame_row(devices, row)[uuid].text ||
                           !same_device(devices, known, row)))
        known++;
    if (known == row)
        return (int)row;
    devices->rows--;
    for (int i = 0; i < column_device_count; i++)
        if (device_is_measured(column_devices[i].info.name))
            *(double *)((char *)device + column_devices[i].offset) =
                frame_find_real(devices, known, column_devices[i].info.name);
    return (int)known;
}
