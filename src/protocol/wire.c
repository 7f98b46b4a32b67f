#include "protocol/wire.h"

#include <assert.h>
#include <math.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"

#define HEADER_SIZE 8 /* u32 length, u32 type */

/* ---- Writing ---- */

void wire_free(struct wire *wire)
{
    free(wire->data);
    *wire = (struct wire){0};
}

void wire_reset(struct wire *wire)
{
    wire->length = 0;
}

/* Append `count` bytes; returns their address. */
static unsigned char *wire_extend(struct wire *wire, size_t count)
{
    if (wire->length + count > wire->capacity) {
        size_t capacity = wire->capacity ? wire->capacity : 256;
        while (capacity < wire->length + count)
            capacity *= 2;
        wire->data = memory_resize(wire->data, capacity, 1);
        wire->capacity = capacity;
    }
    unsigned char *at = wire->data + wire->length;
    wire->length += count;
    assert(wire->length <= wire->capacity);
    return at;
}

void wire_store_u32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

uint32_t wire_load_u32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

void wire_put_u32(struct wire *wire, uint32_t value)
{
    wire_store_u32(wire_extend(wire, 4), value);
}

void wire_put_u64(struct wire *wire, uint64_t value)
{
    unsigned char *at = wire_extend(wire, 8);
    wire_store_u32(at, (uint32_t)value);
    wire_store_u32(at + 4, (uint32_t)(value >> 32));
}

void wire_put_real(struct wire *wire, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    wire_put_u64(wire, bits);
}

void wire_put_bytes(struct wire *wire, const void *bytes, size_t count)
{
    assert(count <= UINT32_MAX);
    wire_put_u32(wire, (uint32_t)count);
    unsigned char *at = wire_extend(wire, count);
    if (count)
        memcpy(at, bytes, count);
}

void wire_put_text(struct wire *wire, const char *text)
{
    wire_put_bytes(wire, text, strlen(text));
}

/* ---- Reading ---- */

struct wire_reader wire_read(const void *data, size_t length)
{
    return (struct wire_reader){.data = data, .length = length};
}

void wire_refuse(struct wire_reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!reader->bad)
        vsnprintf(reader->why, sizeof reader->why, format, arguments);
    va_end(arguments);
    reader->bad = true;
}

/* The next `count` bytes, or NULL when the message is too short. */
static const unsigned char *wire_take(struct wire_reader *reader, size_t count)
{
    if (reader->bad || count > reader->length - reader->at) {
        wire_refuse(reader, "too short");
        return NULL;
    }
    const unsigned char *at = reader->data + reader->at;
    reader->at += count;
    return at;
}

uint32_t wire_get_u32(struct wire_reader *reader)
{
    const unsigned char *at = wire_take(reader, 4);
    return at ? wire_load_u32(at) : 0;
}

uint64_t wire_get_u64(struct wire_reader *reader)
{
    const unsigned char *at = wire_take(reader, 8);
    return at ? (uint64_t)wire_load_u32(at) | (uint64_t)wire_load_u32(at + 4) << 32 : 0;
}

double wire_get_real(struct wire_reader *reader)
{
    uint64_t bits = wire_get_u64(reader);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

const void *wire_get_bytes(struct wire_reader *reader, uint32_t *count)
{
    *count = wire_get_u32(reader);
    const unsigned char *at = wire_take(reader, *count);
    if (!at)
        *count = 0;
    return at;
}

void wire_get_text(struct wire_reader *reader, char *out, size_t size)
{
    uint32_t count;
    const char *bytes = wire_get_bytes(reader, &count);
    size_t kept = count < size - 1 ? count : size - 1;
    if (bytes && kept)
        memcpy(out, bytes, kept);
    out[bytes ? kept : 0] = '\0';
}

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

void wire_put_todo(struct wire *wire, const struct todo *todo)
{
    wire_put_u32(wire, todo->what);
    wire_put_u64(wire, todo->id);
    wire_put_u32(wire, todo->repeat);
    wire_put_real(wire, todo->dirty);
    wire_put_point(wire, &todo->point);
    if (!wire_todo_is_pair(todo->what))
        return;
    wire_put_u32(wire, todo->turn);
    wire_put_u64(wire, todo->second_id);
    wire_put_point(wire, &todo->second);
}

bool wire_get_todo(struct wire_reader *reader, space_finder find, struct todo *todo)
{
    *todo = (struct todo){.what = (enum wire_todo)wire_get_u32(reader)};
    todo->id = wire_get_u64(reader);
    todo->repeat = wire_get_u32(reader);
    todo->dirty = wire_get_real(reader);
    if (!wire_get_point(reader, find, &todo->point) || !wire_todo_is_pair(todo->what))
        return !reader->bad;
    todo->turn = wire_get_u32(reader);
    todo->second_id = wire_get_u64(reader);
    return wire_get_point(reader, find, &todo->second);
}

/* ---- Results ---- */

static void put_one(struct wire *wire, const struct result *result)
{
    wire_put_u64(wire, result->id);
    wire_put_u32(wire, (uint32_t)result->repeat);
    wire_put_u32(wire, (uint32_t)result->device);
    wire_put_u32(wire, result->process);
    wire_put_u32(wire, (uint32_t)result->status);
    wire_put_u32(wire, (uint32_t)result->stop);
    wire_put_u32(wire, (uint32_t)result->timer);
    wire_put_u32(wire, (uint32_t)result->roof);
    wire_put_u32(wire, (uint32_t)result->formula);
    wire_put_u32(wire, (uint32_t)result->arithmetic);
    wire_put_u64(wire, result->throttle);
    wire_put_text(wire, result->shared);
    wire_put_text(wire, result->message);
    for (int i = 0; i < REAL_COUNT; i++)
        wire_put_real(wire, result->real[i]);
    wire_put_u32(wire, result->sample_count);
    for (uint32_t i = 0; i < result->sample_count; i++) {
        wire_put_real(wire, result->samples[i].seconds);
        wire_put_real(wire, result->samples[i].sm_clock);
    }
    wire_put_u64(wire, result->paired_with);
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
    result->id = wire_get_u64(reader);
    result->repeat = (int32_t)wire_get_u32(reader);
    result->device = (int32_t)wire_get_u32(reader);
    result->process = wire_get_u32(reader);
    uint32_t status = wire_get_u32(reader), stop = wire_get_u32(reader), timer = wire_get_u32(reader),
             roof = wire_get_u32(reader), formula = wire_get_u32(reader), arithmetic = wire_get_u32(reader);
    result->throttle = wire_get_u64(reader);
    wire_get_text(reader, result->shared, sizeof result->shared);
    wire_get_text(reader, result->message, sizeof result->message);
    for (int i = 0; i < REAL_COUNT; i++)
        result->real[i] = wire_get_real(reader);
    uint32_t count = wire_get_u32(reader);
    if (status >= STATUS_COUNT || stop >= STOP_COUNT || timer >= TIMER_COUNT || roof >= ROOF_COUNT ||
        formula >= FORMULA_COUNT || arithmetic >= ROOF_COUNT || count > (reader->length - reader->at) / 16)
        wire_refuse(reader,
                    "status %u, stop %u, timer %u, roofs %u and %u, formula %u or %u samples cannot be",
                    status, stop, timer, roof, arithmetic, formula, count);
    if (reader->bad) {
        *result = result_new();
        return false;
    }
    result->status = (enum status)status;
    result->stop = (enum stop_reason)stop;
    result->timer = (enum timer_kind)timer;
    result->roof = (enum roof_kind)roof;
    result->formula = (enum formula)formula;
    result->arithmetic = (enum roof_kind)arithmetic;
    result->sample_count = count;
    result->samples = count ? memory_new(count, sizeof *result->samples) : NULL;
    for (uint32_t i = 0; i < count; i++) {
        double seconds = result->samples[i].seconds = wire_get_real(reader);
        double clock = result->samples[i].sm_clock = wire_get_real(reader);
        if (!(seconds >= 0 && isfinite(seconds)) || (!isnan(clock) && !(clock >= 0 && isfinite(clock))))
            wire_refuse(reader, "a sample of %.4g s at %.4g Hz", seconds, clock); /* no file may have it */
    }
    result->paired_with = wire_get_u64(reader);
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

static void put_energy(struct wire *wire, const struct energy *energy)
{
#define X(name, role, unit, meaning) wire_put_real(wire, energy->name);
    RESULT_ENERGY(X)
#undef X
    wire_put_u64(wire, energy->throttle);
    wire_put_text(wire, energy->status);
}

static void get_energy(struct wire_reader *reader, struct energy *energy)
{
#define X(name, role, unit, meaning) energy->name = wire_get_real(reader);
    RESULT_ENERGY(X)
#undef X
    energy->throttle = wire_get_u64(reader);
    wire_get_text(reader, energy->status, sizeof energy->status);
}

void wire_put_counted(struct wire *wire, const struct counted *counted, int counters)
{
    wire_put_u32(wire, counted->index);
    wire_put_u32(wire, (uint32_t)counted->state);
    wire_put_u32(wire, counted->killed);
    wire_put_text(wire, counted->why);
    for (int i = 0; i < counters && counted->state == COUNTERS_COUNTED; i++)
        wire_put_real(wire, counted->counter[i]);
    wire_put_text(wire, counted->activity.text);
    wire_put_real(wire, counted->activity.span);
    wire_put_real(wire, counted->activity.idle);
    wire_put_text(wire, counted->l2_state);
    put_energy(wire, &counted->energy);
}

bool wire_get_counted(struct wire_reader *reader, struct counted *counted, int counters)
{
    counted->index = wire_get_u32(reader);
    uint32_t state = wire_get_u32(reader);
    counted->killed = wire_get_u32(reader);
    wire_get_text(reader, counted->why, sizeof counted->why);
    reader->bad |= state >= COUNTERS_STATE_COUNT || counters < 0 || counters > RESULT_COUNTERS_MAX;
    counted->state = reader->bad ? COUNTERS_NONE : (enum counters_state)state;
    for (int i = 0; i < RESULT_COUNTERS_MAX; i++)
        counted->counter[i] = i < counters && state == COUNTERS_COUNTED ? wire_get_real(reader) : NAN;
    wire_get_text(reader, counted->activity.text, sizeof counted->activity.text);
    counted->activity.span = wire_get_real(reader);
    counted->activity.idle = wire_get_real(reader);
    wire_get_text(reader, counted->l2_state, sizeof counted->l2_state);
    get_energy(reader, &counted->energy);
    return !reader->bad;
}

/* ---- Devices and configuration ---- */

void wire_put_device(struct wire *wire, const struct device *device)
{
#define X(name, unit, meaning) wire_put_text(wire, device->name);
    DEVICE_TEXTS(X)
#undef X
#define X(name, unit, meaning) wire_put_u64(wire, (uint64_t)device->name);
    DEVICE_INTS(X)
#undef X
#define X(name, unit, meaning) wire_put_real(wire, device->name);
    DEVICE_REALS(X)
#undef X
}

bool wire_get_device(struct wire_reader *reader, struct device *device)
{
#define X(name, unit, meaning) wire_get_text(reader, device->name, sizeof device->name);
    DEVICE_TEXTS(X)
#undef X
/* What no results file may have: numbers below -1 but the missing one, reals below zero or without end. */
#define X(name, unit, meaning)                                                                               \
    device->name = (int64_t)wire_get_u64(reader);                                                            \
    reader->bad |= device->name < -1 && device->name != INT64_MIN;
    DEVICE_INTS(X)
#undef X
#define X(name, unit, meaning)                                                                               \
    device->name = wire_get_real(reader);                                                                    \
    reader->bad |= !isnan(device->name) && !(device->name >= 0 && isfinite(device->name));
    DEVICE_REALS(X)
#undef X
    if (reader->bad)
        *device = device_unknown();
    return !reader->bad;
}

void wire_put_config(struct wire *wire, const struct config *config)
{
    wire_put_u32(wire, (uint32_t)config->timing.cache);
    wire_put_u32(wire, config->timing.min_samples);
    wire_put_u32(wire, config->timing.max_samples);
    wire_put_real(wire, config->timing.target_ci);
    wire_put_real(wire, config->timing.max_time);
    wire_put_real(wire, config->timing.timeout);
    wire_put_u32(wire, config->timing.replicates);
    wire_put_u32(wire, config->timing.all_devices);
    wire_put_u64(wire, config->seed);
    wire_put_u32(wire, (uint32_t)config->threads);
    wire_put_text(wire, config->cpus);
    wire_put_text(wire, config->cache_folder);
    wire_put_u32(wire, config->tensor_cores);
    wire_put_u32(wire, config->one_device);
    wire_put_u32(wire, (uint32_t)config->place.seat);
    wire_put_u32(wire, (uint32_t)config->place.ranks);
    wire_put_text(wire, config->place.handover);
    wire_put_u32(wire, config->energy);
    wire_put_u32(wire, (uint32_t)config->counter_count);
    for (int i = 0; i < config->counter_count; i++)
        wire_put_text(wire, config->counter[i]);
}

bool wire_get_config(struct wire_reader *reader, struct config *config)
{
    *config = config_standard();
    uint32_t cache = wire_get_u32(reader);
    config->timing.min_samples = wire_get_u32(reader);
    config->timing.max_samples = wire_get_u32(reader);
    config->timing.target_ci = wire_get_real(reader);
    config->timing.max_time = wire_get_real(reader);
    config->timing.timeout = wire_get_real(reader);
    config->timing.replicates = wire_get_u32(reader);
    config->timing.all_devices = wire_get_u32(reader) == 1;
    config->seed = wire_get_u64(reader);
    config->threads = (int)wire_get_u32(reader);
    wire_get_text(reader, config->cpus, sizeof config->cpus);
    wire_get_text(reader, config->cache_folder, sizeof config->cache_folder);
    config->tensor_cores = wire_get_u32(reader) == 1;
    config->one_device = wire_get_u32(reader) == 1;
    config->place.seat = (int)wire_get_u32(reader);
    config->place.ranks = (int)wire_get_u32(reader);
    wire_get_text(reader, config->place.handover, sizeof config->place.handover);
    config->energy = wire_get_u32(reader) == 1;
    uint32_t counters = wire_get_u32(reader);
    if (cache > CACHE_ROTATE || config->threads < 0 || config->place.ranks < 1 ||
        counters > RESULT_COUNTERS_MAX)
        reader->bad = true;
    if (!reader->bad) {
        config->timing.cache = (enum cache_mode)cache;
        config->counter_count = (int)counters;
        for (uint32_t i = 0; i < counters; i++)
            wire_get_text(reader, config->counter[i], sizeof config->counter[i]);
    }
    if (reader->bad)
        *config = config_standard();
    return !reader->bad;
}

/* ---- Frames on a pipe ---- */

void wire_put_frame(struct wire *wire, enum wire_type type, const struct wire *payload)
{
    size_t length = payload ? payload->length : 0;
    wire_put_u32(wire, (uint32_t)length);
    wire_put_u32(wire, (uint32_t)type);
    if (length)
        memcpy(wire_extend(wire, length), payload->data, length);
}

int wire_send(int fd, enum wire_type type, const struct wire *payload)
{
    struct wire frame = {0};
    wire_put_frame(&frame, type, payload);
    int failed = io_write_full(fd, frame.data, frame.length);
    int why = errno;
    wire_free(&frame);
    errno = why;
    return failed;
}

int wire_stream_fill(struct wire_stream *stream, int fd)
{
    enum { CHUNK = 64 << 10 };
    if (stream->taken) {
        memmove(stream->data, stream->data + stream->taken, stream->length - stream->taken);
        stream->length -= stream->taken;
        stream->taken = 0;
    }
    if (stream->capacity - stream->length < CHUNK) {
        stream->capacity = stream->capacity ? 2 * stream->capacity : (size_t)2 * CHUNK;
        stream->data = memory_resize(stream->data, stream->capacity, 1);
    }
    ssize_t got;
    do
        got = read(fd, stream->data + stream->length, CHUNK);
    while (got < 0 && errno == EINTR);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return 0;
    if (got <= 0)
        return -1;
    stream->length += (size_t)got;
    return 1;
}

static bool type_exists(uint32_t type)
{
    return (type >= WIRE_CONFIG && type <= WIRE_DISASSEMBLE) || (type >= WIRE_HELLO && type <= WIRE_LISTING);
}

int wire_stream_next(struct wire_stream *stream, enum wire_type *type, struct wire_reader *payload)
{
    assert(stream->taken <= stream->length && stream->length <= stream->capacity);
    size_t there = stream->length - stream->taken;
    if (there < HEADER_SIZE)
        return 0;
    const unsigned char *at = stream->data + stream->taken;
    uint32_t length = wire_load_u32(at), kind = wire_load_u32(at + 4);
    if (length > WIRE_MESSAGE_MAX || !type_exists(kind))
        return -1;
    if (there - HEADER_SIZE < length)
        return 0;
    *type = (enum wire_type)kind;
    *payload = wire_read(at + HEADER_SIZE, length);
    stream->taken += HEADER_SIZE + length;
    return 1;
}

void wire_stream_free(struct wire_stream *stream)
{
    free(stream->data);
    *stream = (struct wire_stream){0};
}
