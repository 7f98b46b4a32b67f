#include <math.h>

#include "base/memory.h"
#include "protocol/wire.h"

/* ---- Points ---- */

void wire_put_point(struct wire *wire, const struct point *point)
{
    wire_put_text(wire, point->space->kernel);
    wire_put_u32(wire, (uint32_t)point->space->count);
    for (int i = 0; i < point->space->count; i++)
        wire_put_u64(wire, (uint64_t)point->value[i]);
}

/* Whether the axis can have the value: what is printed or compiled from a point must exist. */
static bool value_exists(const struct axis *axis, int64_t value)
{
    if (axis->kind == AXIS_WORD) {
        for (int64_t i = 0; axis->words[i]; i++)
            if (i == value)
                return true;
        return false;
    }
    return axis_check(axis, value, NULL) == 0;
}

bool wire_get_point(struct wire_reader *reader, space_finder find, struct point *point)
{
    char kernel[64];
    *point = (struct point){0};
    wire_get_text(reader, kernel, sizeof kernel);
    uint32_t count = wire_get_u32(reader);
    point->space = reader->bad ? NULL : find(kernel);
    if (!point->space || (uint32_t)point->space->count != count) {
        reader->bad = true;
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        point->value[i] = (int64_t)wire_get_u64(reader);
        if (!value_exists(&point->space->axes[i], point->value[i]))
            reader->bad = true;
    }
    return !reader->bad;
}

static const struct wire_field todo_fields[] = {
#define OF struct todo
    WIRE_WORDS(what, WIRE_TODO_COUNT) WIRE_FIELD(U64, id) WIRE_FIELD(U32, repeat) WIRE_FIELD(REAL, dirty)
        WIRE_FIELD(U32, turn) WIRE_FIELD(U64, second_id)
#undef OF
            {0}};

void wire_put_todo(struct wire *wire, const struct todo *todo)
{
    wire_put_fields(wire, todo_fields, todo);
    wire_put_point(wire, &todo->point);
    if (wire_todo_is_pair(todo->what))
        wire_put_point(wire, &todo->second);
}

bool wire_get_todo(struct wire_reader *reader, space_finder find, struct todo *todo)
{
    *todo = (struct todo){0};
    wire_get_fields(reader, todo_fields, todo);
    return wire_get_point(reader, find, &todo->point) &&
           (!wire_todo_is_pair(todo->what) || wire_get_point(reader, find, &todo->second));
}

/* ---- Results ---- */

static const struct wire_field result_fields[] = {
#define OF struct result
    WIRE_FIELD(U64, id) WIRE_FIELD(U32, repeat) WIRE_FIELD(U32, device) WIRE_FIELD(U32, process)
        WIRE_WORDS(status, STATUS_COUNT) WIRE_WORDS(stop, STOP_COUNT) WIRE_WORDS(timer, TIMER_COUNT)
            WIRE_WORDS(roof, ROOF_COUNT) WIRE_WORDS(formula, FORMULA_COUNT) WIRE_WORDS(arithmetic, ROOF_COUNT)
                WIRE_FIELD(TEXT, shared) WIRE_FIELD(TEXT, message) WIRE_FIELD(REAL, real)
                    WIRE_FIELD(U64, code_hash) WIRE_FIELD(U64, launch_hash) WIRE_FIELD(U64, protocol_hash)
                        WIRE_FIELD(U64, paired_with) WIRE_FIELD(U32, sample_count)
#undef OF
                            {0}};
static const struct wire_field sample_fields[] = {
#define OF                                   struct sample
#define X(name, role, unit, always, meaning) WIRE_FIELD(AMOUNT, name)
    SAMPLE_REALS(X)
#undef X
#undef OF
        {0}};

static void put_one(struct wire *wire, const struct result *result)
{
    wire_put_fields(wire, result_fields, result);
    for (uint32_t i = 0; i < result->sample_count; i++)
        wire_put_fields(wire, sample_fields, &result->samples[i]);
}

void wire_put_result(struct wire *wire, const struct result *result)
{
    put_one(wire, result);
    wire_put_u32(wire, result->partner != NULL);
    if (result->partner)
        put_one(wire, result->partner);
}

static bool get_one(struct wire_reader *reader, struct result *result)
{
    *result = result_new();
    wire_get_fields(reader, result_fields, result);
    if (!reader->bad && result->sample_count > (reader->length - reader->at) / 16)
        wire_refuse(reader, "%u samples cannot be", result->sample_count);
    if (reader->bad) {
        *result = result_new();
        return false;
    }
    result->samples = result->sample_count ? memory_new(result->sample_count, sizeof *result->samples) : NULL;
    for (uint32_t i = 0; i < result->sample_count; i++)
        if (wire_get_fields(reader, sample_fields, &result->samples[i]) && isnan(result->samples[i].seconds))
            wire_refuse(reader, "a sample has no time"); /* no file may have it */
    return !reader->bad;
}

bool wire_get_result(struct wire_reader *reader, struct result *result)
{
    bool got = get_one(reader, result);
    if (got && wire_get_u32(reader)) {
        result->partner = memory_new(1, sizeof *result->partner);
        got = get_one(reader, result->partner);
    }
    if (got && !reader->bad)
        return true;
    result_free(result);
    *result = result_new();
    return false;
}

/* ---- Structures without pointers ---- */

const struct wire_field wire_counted[] = {
#define OF struct counted
    WIRE_FIELD(U32, index) WIRE_WORDS(state, COUNTERS_STATE_COUNT) WIRE_FIELD(TEXT, why)
        WIRE_FIELD(REAL, counter) WIRE_FIELD(TEXT, activity.text) WIRE_FIELD(REAL, activity.span)
            WIRE_FIELD(REAL, activity.idle) WIRE_FIELD(TEXT, l2_state) WIRE_FIELD(U64, energy.throttle)
                WIRE_FIELD(TEXT, energy.status)
#define X(name, role, unit, meaning) WIRE_FIELD(REAL, energy.name)
                    RESULT_ENERGY(X)
#undef X
#undef OF
                        {0}};

const struct wire_field wire_device[] = {
#define OF                     struct device
#define X(name, unit, meaning) WIRE_FIELD(TEXT, name)
    DEVICE_TEXTS(X)
#undef X
#define X(name, unit, meaning) WIRE_FIELD(COUNT, name)
        DEVICE_INTS(X)
#undef X
#define X(name, unit, meaning) WIRE_FIELD(AMOUNT, name)
            DEVICE_REALS(X)
#undef X
#undef OF
                {0}};

const struct wire_field wire_home[] = {
#define OF struct home
    WIRE_FIELD(TEXT, host) WIRE_FIELD(U32, node) WIRE_FIELD(U64, cpus)
#undef OF
        {0}};

const struct wire_field wire_config[] = {
#define OF struct config
    WIRE_WORDS(timing.cache, CACHE_ROTATE + 1) WIRE_FIELD(U32, timing.min_samples) WIRE_FIELD(
        U32, timing.max_samples) WIRE_FIELD(REAL, timing.target_ci) WIRE_FIELD(REAL, timing.max_time)
        WIRE_WORDS(timing.clock, CLOCK_ANY + 1) WIRE_FIELD(REAL, timing.timeout)
            WIRE_FIELD(U32, timing.replicates) WIRE_FIELD(BOOL, timing.all_devices) WIRE_FIELD(U64, seed)
                WIRE_FIELD(U32, threads) WIRE_FIELD(TEXT, cpus) WIRE_FIELD(TEXT, cache_folder)
                    WIRE_FIELD(TEXT, precompiled.file) WIRE_FIELD(TEXT, precompiled.headers)
                        WIRE_FIELD(U64, precompiled.target) WIRE_FIELD(BOOL, precompiled.make)
                            WIRE_FIELD(U32, share) WIRE_FIELD(U32, shares) WIRE_FIELD(BOOL, tensor_cores)
                                WIRE_FIELD(BOOL, one_device) WIRE_FIELD(BOOL, energy)
                                    WIRE_WORDS(counter_count, RESULT_COUNTERS_MAX + 1) WIRE_LIST(counter)
#undef OF
                                        {0}};
