/* timeline.h - what the seconds of a run are spent on: sums by phase and kernel, one lane per rank.
 *
 * A lane is in one phase at any time, so its sums add up to its wall time. If phases are nested, the innermost counts: the
 * seconds of a worker are taken from the phase that its rank is in meanwhile. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/wire.h"

/* X(name, word): groups of phases, for summaries. Only sampling is the purpose of a run. */
#define TIMELINE_GROUPS(X)                                                                                   \
    X(SAMPLE, "sampling")                                                                                    \
    X(WARM_UP, "warm-up")                                                                                    \
    X(VERIFY, "verify")                                                                                      \
    X(COUNT, "count")                                                                                        \
    X(PREPARE, "prepare")                                                                                    \
    X(START, "start, compile")                                                                               \
    X(OTHER, "other")                                                                                        \
    X(FILE, "file")                                                                                          \
    X(WAIT, "wait")

/* X(name, word, group, meaning). */
#define TIMELINE_PHASES(X)                                                                                   \
    X(program, "program start", START, "from the start of the process to MPI's: libraries are loaded")       \
    X(mpi, "MPI start", START, "MPI_Init, and finding the rank's place")                                     \
    X(start, "worker start", START, "a worker is started, up to its opening the device")                     \
    X(context, "context", START, "the worker opens its device, as far as its rank waits for that")           \
    X(peaks, "peaks", START, "the device's peaks and the timer's floors are measured")                       \
    X(compile, "compile", START, "kernels are compiled, or found in the cache")                              \
    X(load, "load", PREPARE, "code is loaded and looked up, arguments are made")                             \
    X(open_call, "open call", PREPARE, "a call prepares itself: libraries, plans, autotuning")               \
    X(allocate, "allocate", PREPARE, "memory for the point's arrays")                                        \
    X(fill, "fill", PREPARE, "inputs are written")                                                           \
    X(launch, "verified launch", VERIFY, "the launch whose output is compared")                              \
    X(copy_back, "copy back", VERIFY, "outputs, and inputs for the reference, to the host")                  \
    X(reference, "reference", VERIFY, "the expected output is computed")                                     \
    X(compare, "compare", VERIFY, "output and expected output are compared")                                 \
    X(warm_up, "warm-up", WARM_UP, "launches until the clock has risen")                                     \
    X(arrange, "arrange", PREPARE, "what a sample is: its launches, graphs, sets of buffers")                \
    X(sample, "sampling", SAMPLE, "samples are taken")                                                       \
    X(finish, "finish", PREPARE, "memory is given back, predictions are made")                               \
    X(energy, "energy", COUNT, "the loop whose energy is measured, or the idle device")                      \
    X(count_open, "counting: session", COUNT, "the profiler is opened and closed, its points placed")        \
    X(count_set, "counting: set", COUNT, "a round's counters are configured, a pass begun")                  \
    X(count_launch, "counting: launch", COUNT, "the launches of a pass, and emptying L2 for them")           \
    X(count_decode, "counting: decode", COUNT, "a pass is ended, and its counters worked out")               \
    X(messages, "messages", OTHER, "between a rank and its worker, where neither is in another phase")       \
    X(lost, "lost", OTHER, "a worker that ended or hung without telling what it had done")                   \
    X(wait_ranks, "wait: ranks", WAIT, "for other ranks to be ready, before the first point")                \
    X(wait_work, "wait: work", WAIT, "for points, or at the end for the last rank")                          \
    X(wait_exclusive, "wait: exclusive", WAIT, "for points that have the node to themselves to end")         \
    X(wait_writer, "wait: writer", WAIT,                                                                     \
      "for rank 0, which writes the file or its journal (of earlier releases)")                              \
    X(end, "end", OTHER, "from the run's end to the file's being written: workers leave")                    \
    X(open, "open", FILE, "coordinator: the job is read, the file opened, its points chosen")                \
    X(sync, "sync", FILE, "coordinator: the journal is written to disk")                                     \
    X(checkpoint, "checkpoint", FILE, "coordinator: a checkpoint is begun or taken over")                    \
    X(close, "close", FILE, "coordinator: the final file is written")

enum phase {
#define X(name, word, group, meaning) PHASE_##name,
    TIMELINE_PHASES(X)
#undef X
        PHASE_COUNT
};
enum phase_group {
#define X(name, word) GROUP_##name,
    TIMELINE_GROUPS(X)
#undef X
        GROUPS
};
extern const char *const phase_words[PHASE_COUNT + 1]; /* ends with NULL, as do the others */
extern const char *const phase_group_words[GROUPS + 1];
extern const char *const phase_meanings[PHASE_COUNT + 1];
enum phase_group phase_group(enum phase phase);

/* The coordinator has a separate lane on rank 0, because it works at the same time as the worker of rank 0. */
enum lane { LANE_RANK, LANE_COORDINATOR, LANE_COUNT };
extern const char *const lane_words[LANE_COUNT + 1];

/* A row of the file: seconds [start, end) since the start of rank 0's process. `end` is NaN while it is open. */
struct span {
    double start, end;
    uint64_t point; /* its id, of the first of several; 0: none */
    uint32_t parts; /* times that the lane was in the phase */
    int32_t device; /* row of /devices; -1: none yet */
    int32_t rank;
    uint16_t run;
    uint8_t phase, lane;
};

struct phase_sum {
    enum phase phase;
    uint64_t kernel; /* a hash of its name; 0: none */
    uint64_t point;  /* id of its first point; 0: none */
    uint32_t parts;
    double seconds;
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

/* End the open phase, and begin `phase` at `time` (of clock_now). The point of what follows; kernel NULL: none. */
void timeline_enter(struct timeline *timeline, enum phase phase, double time);
void timeline_point(struct timeline *timeline, const char *kernel, uint64_t point, double time);

/* Change the open phase, from its start on. */
void timeline_rename(struct timeline *timeline, enum phase phase);

/* Add seconds to a lane. timeline_claim takes them from the open phase, as far as it has lasted until `time`. */
void timeline_add(struct timeline *timeline, const struct phase_sum *sum);
void timeline_claim(struct timeline *timeline, const struct phase_sum *sum, double time);

/* Put the sums into a message and remove them: u32 n, n times (u32 phase, u64 kernel, u64 point, u32 parts, real seconds).
 * timeline_get reads them one by one; false if one is malformed. */
void timeline_put(struct timeline *timeline, struct wire *wire);
bool timeline_get(struct wire_reader *reader, struct phase_sum *sum);

void timeline_free(struct timeline *timeline);
