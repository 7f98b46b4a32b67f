/* wire.h - binary messages between coordinator, runner and worker; the journal uses their encoding.
 *
 * A message is a sequence of little-endian numbers and length-prefixed bytes. Readers check all bounds,
 * because a crashed worker may send anything and a journal may be torn. Long texts are truncated. On pipes a
 * message is (u32 length of the rest, u32 type, payload). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/device.h"
#include "core/point.h"
#include "core/result.h"
#include "protocol/config.h"

/* A message being written. Start from {0}; wire_reset keeps the memory, wire_free releases it. */
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

/* A message being read. `bad` becomes and stays true if the message is too short or a value is invalid;
 * further values are then 0 or empty. Callers check `bad` once, at the end. `why` may say what was wrong
 * first. */
struct wire_reader {
    const unsigned char *data;
    size_t length, at;
    bool bad;
    char why[96];
};
struct wire_reader wire_read(const void *data, size_t length);
void wire_refuse(struct wire_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
uint32_t wire_get_u32(struct wire_reader *reader);
uint64_t wire_get_u64(struct wire_reader *reader);
double wire_get_real(struct wire_reader *reader);
const void *wire_get_bytes(struct wire_reader *reader, uint32_t *count); /* points into the message */
void wire_get_text(struct wire_reader *reader, char *out, size_t size);

/* A structure on the wire: a table of its fields, which describes both directions and ends with {0}. OF is
 * defined as the structure where the rows are written. */
enum wire_kind {
    WIRE_TEXT = 1, /* or an array of them: WIRE_LIST */
    WIRE_BOOL,
    WIRE_U32,  /* or an int */
    WIRE_WORD, /* an enumeration of so many `values`: WIRE_WORDS */
    WIRE_U64,
    WIRE_REAL,   /* or an array of them */
    WIRE_AMOUNT, /* a real: NaN, or finite and not negative */
    WIRE_COUNT,  /* an int64_t: not negative, or -1 or INT64_MIN for unknown */
};
struct wire_field {
    const char *name;
    size_t offset, size;
    enum wire_kind kind;
    uint32_t values; /* of a WIRE_WORD; of WIRE_TEXT, the size of each */
};
#define WIRE_FIELD(kind, member)                                                                             \
    {#member, offsetof(OF, member), sizeof(((OF *)NULL)->member), WIRE_##kind, sizeof(((OF *)NULL)->member)},
#define WIRE_LIST(member)                                                                                    \
    {#member, offsetof(OF, member), sizeof(((OF *)NULL)->member), WIRE_TEXT, sizeof(((OF *)NULL)->member[0])},
#define WIRE_WORDS(member, values)                                                                           \
    {#member, offsetof(OF, member), sizeof(((OF *)NULL)->member), WIRE_WORD, values},
void wire_put_fields(struct wire *wire, const struct wire_field *fields, const void *from);
bool wire_get_fields(struct wire_reader *reader, const struct wire_field *fields, void *to);

/* Structures. A point is sent as the name of its kernel and its values in the order of the axes: both ends
 * have the same build, and the number of axes is checked. `find` maps the name of a kernel to its axes. */
typedef const struct space *(*space_finder)(const char *kernel);
void wire_put_point(struct wire *wire, const struct point *point);
bool wire_get_point(struct wire_reader *reader, space_finder find, struct point *point);
void wire_put_result(struct wire *wire, const struct result *result); /* without counters, which come later */
bool wire_get_result(struct wire_reader *reader, struct result *result); /* result_free releases it */
extern const struct wire_field wire_counted[], wire_device[], wire_config[], wire_home[];

/* Messages between the coordinator and the runners of all ranks, in a mailbox, and between a runner and its
 * worker, over two pipes. The runner forwards what is the same on both sides: -> marks it. */
#define CHIP_ANY "any" /* does any chip have them? Passes are not reported */

#define WIRE_BATCH_MAX     128 /* points of one MEASURE */
#define WIRE_COMPILED_REST UINT32_MAX

enum wire_type {
    /* to the worker */
    WIRE_CONFIG = 1,   /* config; the runner finds its CPUs; no answer; sent before the next ones */
    WIRE_CHARACTERISE, /* -> u32 enum peaks_part; answered by DEVICE with all peaks measured so far */
    WIRE_COMPILE,      /* -> u32 n, then n points to compile into the cache; answered by n times COMPILED */
    WIRE_MEASURE,      /* u32 n, then n struct todo. For each point or pair to measure, in order: STAGE as it
                     goes through its stages, then RESULT, which has both results of a pair. When
                     the config names counters, then those that were timed well, and those to count, are counted:
                     STAGE now and then, as a sign of life, then COUNTED for each, in order.
                     To the runner: before the todos u32 fresh (in a process of its own); answered by RESULTS, the
                     last one idle */
    WIRE_QUIT,         /* empty; the worker exits with 0 */
    WIRE_OPEN, /* empty; sent first, to a spare worker, which waits for it before it opens its device */
    WIRE_CHIP, /* text chip, or CHIP_ANY, u32 n, n texts: counter columns; answered by CHIP_ANSWER */
    WIRE_DISASSEMBLE, /* a point with a real architecture; answered by LISTING */
    /* to the runner */
    WIRE_START = 32, /* text: restart the worker with this back end; answered like a start */
    WIRE_RECALL, /* empty: return the batch, including the current point; answered by idle RESULTS when there
                    was one */
    WIRE_STOP,   /* real: let the current point end within so many seconds, drop the rest; answered by idle
                    RESULTS when it was measuring */
    WIRE_END,    /* empty: the run is over */
    WIRE_ECHO,   /* empty: answers HEARTBEAT */
    WIRE_LEAVE, /* empty, after END: the file is closed but some rank does not answer; exit without waiting */
    /* from the worker */
    WIRE_HELLO = 64, /* -> protocol/greeting.h. The first message, or FATAL */
    WIRE_DEVICE,   /* -> device with peaks. Runner to worker, after CONFIG: the peaks that an earlier process
                      measured */
    WIRE_COMPILED, /* -> u32 index into the request, u32 ok, text (the compiler's log if not ok); in any
                     order. From a runner, index WIRE_COMPILED_REST: the rest is not compiled ahead, for the
                     reason in the text */
    WIRE_STAGE,    /* u32 index into the request, text: "compile", "verify", "warm up", "measure", "count" */
    WIRE_COUNTED,  /* -> counted; its index is that into the request */
    WIRE_NOTE,     /* -> text: a remark for the user about the counters of this worker; at most once */
    WIRE_RESULT,   /* -> result */
    WIRE_FATAL, /* -> text: why this worker cannot work; it then exits with 3. Or, of its runner, why it has
                   not answered CHARACTERISE */
    WIRE_CHIP_ANSWER, /* u32 ok, text error, u32 passes that those the chip has need together, then per column
                         u32: the chip has it. After a failure the passes and all columns are 0 */
    WIRE_PHASES, /* phases of the worker (protocol/timeline.h); sent before the answers that they belong to */
    WIRE_LOADED, /* -> text of family/code/closure.h, not empty: what the worker has loaded since HELLO, or
                    since the last of these; sent before the RESULT that it belongs to. Of a later worker of
                    the rank, all of its HELLO */
    WIRE_LISTING, /* u32 ok, text error, u32 registers, u32 static shared bytes, text: output of nvdisasm */
    /* from the runner */
    WIRE_HOME = 96, /* struct home; sent first */
    WIRE_RESULTS,   /* u32 idle, u32 number of the rank's worker, bytes: frames, RESULT, COUNTED or LOADED, in
                       the order of the request */
    WIRE_LOST,      /* text: the rank has no worker and cannot start one */
    WIRE_DIED,      /* text: of what a worker died that counted several points; RESULTS return them */
    WIRE_LANE,      /* u32 last (none follow), real age of the rank's lane (s), then its phases
                       (protocol/timeline.h) */
    WIRE_HEARTBEAT, /* empty: the rank is alive, whatever its worker does; answered by ECHO */
    WIRE_SIGNAL,    /* u32 interrupts, u32 terminates, u32 users: signals that this rank has seen */
};

/* Where a rank lives. */
struct home {
    char host[DEVICE_TEXT_SIZE]; /* name of its node */
    int node;                    /* a number that identifies the node: its first rank */
    int local_rank;              /* among the ranks of the node; not sent */
    uint64_t cpus;               /* equal for ranks of a node that have to divide the same CPUs; 0: unknown */
};

/* What to do with a point of MEASURE. */
enum wire_todo {
    WIRE_TO_MEASURE,        /* verify and time it */
    WIRE_TO_COUNT,          /* count it: it is timed already */
    WIRE_TO_REPLICATE,      /* time it, no more */
    WIRE_TO_PAIR,           /* measure two points together */
    WIRE_TO_REPLICATE_PAIR, /* time them together, no more */
    WIRE_TODO_COUNT
};
static inline bool wire_todo_is_pair(enum wire_todo todo)
{
    return todo == WIRE_TO_PAIR || todo == WIRE_TO_REPLICATE_PAIR;
}

/* A point to do. Of a pair: also the second point, and `turn`, the processes of the rank that have measured
 * the pair before, which decides which point comes first (statistics/turns.h). */
struct todo {
    enum wire_todo what;
    uint64_t id;
    uint32_t repeat;
    double dirty; /* its column l2_dirty, if it has been timed */
    struct point point;
    uint32_t turn;
    uint64_t second_id;
    struct point second;
};
void wire_put_todo(struct wire *wire, const struct todo *todo);
bool wire_get_todo(struct wire_reader *reader, space_finder find, struct todo *todo);

#define WIRE_MESSAGE_MAX (64u << 20) /* longer messages are invalid */

/* A message that was read, to be forwarded; its bytes stay the reader's. */
struct wire wire_forward(const struct wire_reader *reader);

/* Append a whole framed message; or send one. 0, or -1 with errno (EPIPE: the other side is gone). */
void wire_put_frame(struct wire *wire, enum wire_type type, const struct wire *payload);
int wire_send(int fd, enum wire_type type, const struct wire *payload);

/* Receives framed messages from a descriptor, which may be non-blocking. */
struct wire_stream {
    unsigned char *data;
    size_t length, capacity;
    size_t taken; /* bytes at the start that wire_stream_next has returned */
};
/* Read the available bytes. 1: read some; 0: none available; -1: end of file or error. */
int wire_stream_fill(struct wire_stream *stream, int fd);
/* The next whole message. 1: `payload` is valid until the next call; 0: not complete yet; -1: invalid. */
int wire_stream_next(struct wire_stream *stream, enum wire_type *type, struct wire_reader *payload);
void wire_stream_free(struct wire_stream *stream);

/* Frames that are in memory, for wire_stream_next; the bytes stay the caller's. */
struct wire_stream wire_stream_of(const void *bytes, size_t count);

/* A number as four bytes, little-endian. */
void wire_store_u32(unsigned char *at, uint32_t value);
uint32_t wire_load_u32(const unsigned char *at);
