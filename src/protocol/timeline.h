/* timeline.h - who owns each second of a run: spans of phases, one after the other, a lane each rank.
 *
 * A lane is in one phase at any time, so that its spans add up to its wall time. Of phases within one another the
 * innermost owns the second: what a worker tells of itself is laid over what its rank knows of it. */
#ifndef PROTOCOL_TIMELINE_H
#define PROTOCOL_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/wire.h"

/* X(name, word): what phases are put together as where there are many. A run is for the sampling alone. */
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

/* X(name, word, group, what it is). */
#define TIMELINE_PHASES(X)                                                                                   \
    X(program, "program start", START, "from the start of the process to MPI's: libraries are loaded")       \
    X(mpi, "MPI start", START, "MPI_Init, and finding the rank's place")                                     \
    X(start, "worker start", START, "a worker is started, up to its opening the device")                     \
    X(context, "context", START, "the worker opens its device, as far as its rank waits for that")           \
    X(peaks, "peaks", START, "the device's peaks and the timer's floors are measured")                       \
    X(compile, "compile", START, "kernels are compiled, or found in the cache")                              \
    X(load, "load", PREPARE, "code is loaded and looked up, arguments are made")                             \
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
    X(count_open, "counting: session", COUNT, "the profiler is opened and closed, its points placed")        \
    X(count_set, "counting: set", COUNT, "a round's counters are configured, a pass begun")                  \
    X(count_launch, "counting: launch", COUNT, "the launches of a pass, and emptying L2 for them")           \
    X(count_decode, "counting: decode", COUNT, "a pass is ended, and its counters worked out")               \
    X(messages, "messages", OTHER, "between a rank and its worker, where neither is in another phase")       \
    X(lost, "lost", OTHER, "a worker that ended or hung without telling what it had done")                   \
    X(wait_ranks, "wait: ranks", WAIT, "for other ranks to be ready, before the first point")                \
    X(wait_work, "wait: work", WAIT, "for points, or at the end for the last rank")                          \
    X(wait_exclusive, "wait: exclusive", WAIT, "for points that have the node to themselves to end")         \
    X(wait_writer, "wait: writer", WAIT, "for rank 0, which writes the file or its journal")                 \
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

/* Beside its rank's, the coordinator has a lane of its own on rank 0: it works while rank 0's worker does. */
enum lane { LANE_RANK, LANE_COORDINATOR, LANE_COUNT };
extern const char *const lane_words[LANE_COUNT + 1];

/* Seconds [start, end) of a lane. In a process they are those of clock_now, in a file those since the run's start:
 * when rank 0's process began. `end` is NaN while it goes on. */
struct span {
    double start, end;
    uint64_t point; /* its id; 0: none */
    uint32_t parts; /* how many spans it is the sum of: short ones are added up and laid end to end */
    int32_t device; /* row of /devices; -1: none yet */
    int32_t rank;
    uint16_t run;
    uint8_t phase, lane;
};

/* ---- Recording: a lane of this process. Start from {0}. ---- */
struct timeline {
    struct span *span; /* owned: those that have ended and were not taken yet */
    size_t count, capacity;
    double since; /* when the open phase began */
    enum phase phase;
    uint64_t point;
    bool on;
};

/* The lane is in `phase` from now on (`time`, of clock_now): the one before has ended. */
void timeline_enter(struct timeline *timeline, enum phase phase, uint64_t point, double time);

/* The open phase turns out to be another one. */
void timeline_rename(struct timeline *timeline, enum phase phase, uint64_t point);

/* Lay a span over the lane, which has got beyond its start: what it covers is its own from now on. Of what was taken
 * already nothing changes. */
void timeline_lay(struct timeline *timeline, const struct span *span);

/* Add up spans of one phase and group (as `group` has it for each span) and lay the sums end to end, in the order in
 * which they first came, over the same time. */
void timeline_sum(struct timeline *timeline, const void *const *group);

/* Give what is shorter than `least` seconds to the span before it that it touches, of the same point. */
void timeline_absorb(struct timeline *timeline, double least);

/* Those that have ended, into a message, and forget them: u32 n, n times (u32 phase, u64 point, u32 parts, real start,
 * real end). Read back one by one; false when it cannot be one. */
void timeline_put(struct timeline *timeline, struct wire *wire);
bool timeline_get(struct wire_reader *reader, struct span *span);

void timeline_free(struct timeline *timeline);

#endif
