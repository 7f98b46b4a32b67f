/* wire.h - the binary messages between coordinator, runner and worker, and in the journal.
 *
 * A message is a flat sequence of little-endian numbers and length-prefixed bytes. Readers check every
 * bound: a worker that died or was overwritten may send anything, and a journal may be torn. Texts are cut,
 * never overrun. Pipes frame messages as (u32 length of what follows, u32 type, payload). */
#ifndef PROTOCOL_WIRE_H
#define PROTOCOL_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/device.h"
#include "core/point.h"
#include "core/result.h"
#include "protocol/config.h"

/* Writing: a growing block. Start from {0}; wire_free when done; wire_reset keeps the memory. */
struct wire {
    unsigned char *data;
    size_t length, capacity;
};
void wire_free(struct wire *wire);
void wire_reset(struct wire *wire);
void wire_put_u32(struct wire *wire, uint32_t value);
void wire_put_u64(struct wire *wire, uint64_t value);
void wire_put_real(struct wire *wire, double value);
void wire_put_bytes(struct wire *wire, const void *bytes, size_t count); /* with its u32 length */
void wire_put_text(struct wire *wire, const char *text);                 /* without its NUL */

/* Reading: `bad` turns true, and stays so, when the message is too short or a value impossible; what is
 * read then is 0 or empty. Callers check `bad` once, at the end. */
struct wire_reader {
    const unsigned char *data;
    size_t length, at;
    bool bad;
};
struct wire_reader wire_read(const void *data, size_t length);
uint32_t wire_get_u32(struct wire_reader *reader);
uint64_t wire_get_u64(struct wire_reader *reader);
double wire_get_real(struct wire_reader *reader);
const void *wire_get_bytes(struct wire_reader *reader, uint32_t *count); /* points into the message */
void wire_get_text(struct wire_reader *reader, char *out, size_t size);

/* The nouns. A point travels as its kernel's name and its values in the order of the kernel's axes: both
 * ends are of one build, and the number of axes is checked. `find` maps a kernel's name to its axes. */
typedef const struct space *(*space_finder)(const char *kernel);
void wire_put_point(struct wire *wire, const struct point *point);
bool wire_get_point(struct wire_reader *reader, space_finder find, struct point *point);
void wire_put_result(struct wire *wire, const struct result *result); /* without counters, which come later */
bool wire_get_result(struct wire_reader *reader, struct result *result); /* caller frees samples */
void wire_put_counted(struct wire *wire, const struct counted *counted, int counters);
bool wire_get_counted(struct wire_reader *reader, struct counted *counted, int counters);
void wire_put_device(struct wire *wire, const struct device *device);
bool wire_get_device(struct wire_reader *reader, struct device *device);
void wire_put_config(struct wire *wire, const struct config *config);
bool wire_get_config(struct wire_reader *reader, struct config *config);

/* The worker's protocol, over a pipe pair. After start the worker sends HELLO or FATAL unasked. */
#define CHIP_ANY "any" /* does any chip have them? No passes are told */

enum wire_type {
    /* runner → worker */
    WIRE_CONFIG = 1,   /* config; no answer. Before any of the below */
    WIRE_CHARACTERISE, /* u32 enum peaks_part; answered by DEVICE with all peaks that were measured so far */
    WIRE_COMPILE,      /* u32 n, then n points to compile into the cache; answered by n times COMPILED */
    WIRE_MEASURE, /* u32 n, then n times (u32 enum wire_todo, u64 id, u32 repeat, real l2_dirty, point). For
                     each point to measure, in order: STAGE as it goes through its stages, then RESULT. When
                     the config names counters, then those that were timed well, and those to count, are counted:
                     STAGE now and then, as a sign of life, then COUNTED for each, in order */
    WIRE_QUIT,    /* empty; the worker exits with 0 */
    WIRE_CHIP,    /* text chip, or CHIP_ANY, u32 n, n texts: counter columns; answered by CHIP_ANSWER */
    WIRE_DISASSEMBLE, /* point, with a real architecture; answered by LISTING */
    /* worker → runner */
    WIRE_HELLO = 64, /* protocol/greeting.h */
    WIRE_DEVICE, /* device, with peaks. Runner → worker, after CONFIG: as a process before this one measured them */
    WIRE_COMPILED, /* u32 index into the request, u32 ok, text (the compiler's log when not ok): of each, in any order */
    WIRE_STAGE,   /* u32 index into the request, text: "compile", "verify", "warm up", "measure", "count" */
    WIRE_COUNTED, /* counted, its index that into the request */
    WIRE_NOTE,    /* text: what the user should know about this worker's counters; not more than once */
    WIRE_RESULT,  /* result */
    WIRE_FATAL,   /* text: why this worker cannot work at all; it exits with 3 after it */
    WIRE_CHIP_ANSWER, /* u32 ok, text error, u32 passes that those the chip has need together, then per column
                         u32: the chip has it. After a failure the passes and all columns are 0 */
    WIRE_SPANS,       /* what the worker was at, protocol/timeline.h: before the answers that it belongs to */
    WIRE_LISTING, /* u32 ok, text error, u32 registers, u32 static shared bytes, text: the machine code as nvdisasm has it */
};
/* What is to be done with a point of MEASURE: a new worker gets the batch whose first points another has
 * timed. */
enum wire_todo { WIRE_TO_MEASURE, WIRE_TO_COUNT, WIRE_TO_SKIP, WIRE_TO_REPLICATE /* time it, no more */ };

#define WIRE_MESSAGE_MAX (64u << 20) /* a longer message cannot be one */

/* Send one framed message, whole. 0, or -1 with errno (EPIPE when the other side is gone). */
int wire_send(int fd, enum wire_type type, const struct wire *payload);

/* Receives framed messages piecemeal from a descriptor that may be non-blocking. */
struct wire_stream {
    unsigned char *data;
    size_t length, capacity;
    size_t taken; /* bytes at the start that wire_stream_next has given out */
};
/* Take what the descriptor has. 1: something came; 0: nothing now; -1: end of file or error. */
int wire_stream_fill(struct wire_stream *stream, int fd);
/* The next whole message: 1 and `payload` (valid until the next call), 0: not yet, -1: not a message. */
int wire_stream_next(struct wire_stream *stream, enum wire_type *type, struct wire_reader *payload);
void wire_stream_free(struct wire_stream *stream);

#endif
