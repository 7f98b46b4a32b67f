/* timeline.h - what the seconds of a run are spent on: sums by phase and kernel, one lane per rank.
 *
 * A lane is in one phase at any time, so its sums add up to its wall time. If phases are nested, the
 * innermost counts: the seconds of a worker are taken from the phase that its rank is in meanwhile. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/wire.h"

/* X(name, word). Python groups and explains them (python/src/warpsweep/reports/time.py). */
#define TIMELINE_PHASES(X)                                                                                   \
    X(program, "program start")                                                                              \
    X(mpi, "MPI start")                                                                                      \
    X(start, "worker start")                                                                                 \
    X(context, "context")                                                                                    \
    X(peaks, "peaks")                                                                                        \
    X(compile, "compile")                                                                                    \
    X(load, "load")                                                                                          \
    X(open_call, "open call")                                                                                \
    X(allocate, "allocate")                                                                                  \
    X(fill, "fill")                                                                                          \
    X(launch, "verified launch")                                                                             \
    X(copy_back, "copy back")                                                                                \
    X(reference, "reference")                                                                                \
    X(compare, "compare")                                                                                    \
    X(warm_up, "warm-up")                                                                                    \
    X(rest, "rest")                                                                                          \
    X(arrange, "arrange")                                                                                    \
    X(sample, "sampling")                                                                                    \
    X(finish, "finish")                                                                                      \
    X(energy, "energy")                                                                                      \
    X(count_open, "counting: session")                                                                       \
    X(count_set, "counting: set")                                                                            \
    X(count_launch, "counting: launch")                                                                      \
    X(count_decode, "counting: decode")                                                                      \
    X(messages, "messages")                                                                                  \
    X(lost, "lost")                                                                                          \
    X(wait_ranks, "wait: ranks")                                                                             \
    X(wait_work, "wait: work")                                                                               \
    X(wait_exclusive, "wait: exclusive") /* of earlier releases, as the next one */                          \
    X(wait_writer, "wait: writer")                                                                           \
    X(end, "end")                                                                                            \
    X(open, "open")                                                                                          \
    X(sync, "sync")                                                                                          \
    X(checkpoint, "checkpoint")                                                                              \
    X(close, "close")

enum phase {
#define X(name, word) PHASE_##name,
    TIMELINE_PHASES(X)
#undef X
        PHASE_COUNT
};
extern const char *const phase_words[PHASE_COUNT + 1]; /* ends with NULL */

/* The coordinator has a separate lane on rank 0, because it works at the same time as the worker of rank
 * 0. */
enum lane { LANE_RANK, LANE_COORDINATOR, LANE_COUNT };
extern const char *const lane_words[LANE_COUNT + 1];

struct phase_sum {
    enum phase phase;
    uint64_t kernel; /* a hash of its name; 0: none */
    uint64_t point;  /* id of its first point; 0: none */
    uint32_t parts;
    double seconds;
};

/* A row of the file: the lane of a rank is in a phase, from `start` on (s since the start of rank 0's
 * process). */
struct phase_row {
    double start;
    struct phase_sum sum;
    int32_t device; /* row of /devices; -1: none yet */
    int32_t rank, run;
    enum lane lane;
};

/* A lane of this process, or of another one. Start from {0}. */
struct timeline {
    struct phase_sum *sum; /* owned: not sent yet, by phase and kernel */
    size_t count, capacity;
    double begun,
        since; /* s of clock_now: start of the lane, and of the open phase, which is not in the sums */
    enum phase phase;
    uint64_t kernel, point; /* of the open phase */
    bool on;
};

/* End the open phase, and begin `phase` at `time` (of clock_now). The point of what follows; kernel NULL:
 * none. */
void timeline_enter(struct timeline *timeline, enum phase phase, double time);
void timeline_point(struct timeline *timeline, const char *kernel, uint64_t point, double time);

/* Change the open phase, from its start on. */
void timeline_rename(struct timeline *timeline, enum phase phase);

/* Add seconds to a lane. timeline_claim takes them from the open phase, as far as it has lasted until
 * `time`. */
void timeline_add(struct timeline *timeline, const struct phase_sum *sum);
void timeline_claim(struct timeline *timeline, const struct phase_sum *sum, double time);

/* Put the sums into a message, with a u32 of their number, and remove them. timeline_get reads them one by
 * one; false if one is malformed. */
void timeline_put(struct timeline *timeline, struct wire *wire);
bool timeline_get(struct wire_reader *reader, struct phase_sum *sum);

void timeline_free(struct timeline *timeline);
