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

/* ---- Fields of a structure ---- */

/* Numbers are sent as they lie in memory. Hosts of CUDA devices are little-endian. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers in messages are little-endian");

void wire_put_fields(struct wire *wire, const struct wire_field *field, const void *from)
{
    for (; field->kind; field++) {
        const char *at = (const char *)from + field->offset;
        for (size_t text = 0; field->kind == WIRE_TEXT && text < field->size; text += field->values)
            wire_put_text(wire, at + text);
        if (field->kind != WIRE_TEXT)
            memcpy(wire_extend(wire, field->size), at, field->size);
    }
}

/* Whether a file may have the number; it is also put into `value`, for a message. */
static bool is_possible(const struct wire_field *field, const void *at, double *value)
{
    switch (field->kind) {
    case WIRE_BOOL:
        *value = *(const unsigned char *)at;
        return *value <= 1;
    case WIRE_WORD:
        *value = *(const uint32_t *)at;
        return *value < field->values;
    case WIRE_COUNT:
        *value = (double)*(const int64_t *)at;
        return *value >= -1 || *(const int64_t *)at == INT64_MIN;
    case WIRE_AMOUNT:
        *value = *(const double *)at;
        return isnan(*value) || (*value >= 0 && isfinite(*value));
    default:
        return true;
    }
}

bool wire_get_fields(struct wire_reader *reader, const struct wire_field *field, void *to)
{
    for (; field->kind; field++) {
        char *at = (char *)to + field->offset;
        double value;
        for (size_t text = 0; field->kind == WIRE_TEXT && text < field->size; text += field->values)
            wire_get_text(reader, at + text, field->values);
        if (field->kind == WIRE_TEXT)
            continue;
        const unsigned char *bytes = wire_take(reader, field->size);
        if (bytes)
            memcpy(at, bytes, field->size);
        if (bytes && !is_possible(field, at, &value))
            wire_refuse(reader, "%s cannot be %.4g", field->name, value);
        if (reader->bad)
            memset(at, 0, field->size);
    }
    return !reader->bad;
}

/* ---- Frames ---- */

struct wire wire_forward(const struct wire_reader *reader)
{
    return (struct wire){.data = (unsigned char *)reader->data, .length = reader->length};
}

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

struct wire_stream wire_stream_of(const void *bytes, size_t count)
{
    return (struct wire_stream){.data = (unsigned char *)bytes, .length = count, .capacity = count};
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
