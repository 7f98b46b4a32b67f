/* runner_state.h - a runner's inside, shared by the files beside it. */
#ifndef RUNNER_RUNNER_STATE_H
#define RUNNER_RUNNER_STATE_H

#include "base/clock.h"
#include "mailbox/heartbeat.h"
#include "protocol/config.h"
#include "protocol/greeting.h"
#include "protocol/timeline.h"
#include "runner/runner.h"

enum runner_state {
    RUNNER_STARTING,
    RUNNER_IDLE,
    RUNNER_CHARACTERISING,
    RUNNER_COMPILING,
    RUNNER_MEASURING,
    RUNNER_LOST, /* it has no worker and gets none */
};

struct task {
    uint64_t id;
    uint32_t repeat;
    enum wire_todo todo; /* WIRE_TO_MEASURE, _REPLICATE or _COUNT */
    bool counted_later;  /* it was timed, and is to be counted */
    double dirty;        /* of a point that is to be counted: the share of L2's lines that were dirty */
    struct point point;
};

/* Points of the batch that wait to be counted are counted in groups: all at once, unless a worker dies of it. Then
 * its group is halved, until it is the one point that is to blame. */
struct groups {
    int size[8]; /* a stack: the last one is next; as many as halving MESSAGE_BATCH_MAX to 1 leaves */
    int count;
    int dead; /* points in a row that a worker died of */
};

struct runner {
    struct runner_options options;
    struct mailbox *mailbox;
    char backend[16];
    enum runner_state state;
    bool over;
    struct heartbeat heartbeat;
    double beat, heard; /* when it last beat, and heard the coordinator, on the heartbeat */

    struct worker_link *worker;
    uint32_t workers; /* that were started */
    double started;   /* s: when the last one was */
    double opened;    /* s: when this runner was, which a worker may have been started before */
    uint32_t round;   /* of the batch that the worker was started for */
    bool linked;      /* the last batch loaded the host link */
    double began;     /* what it is doing now, in seconds */
    double deadline;  /* of what it is doing now */
    double busy;      /* s: of processor time that the worker had had when that last grew */
    double stirred;   /* on the heartbeat: when that was */
    int failures;     /* starts in a row that came to nothing */
    double start_at;  /* when to try the next start, while there is no process */

    bool greeted; /* HELLO was sent up for this back end */
    bool configured;
    struct config config;
    bool characterised;
    struct device device;       /* with its peaks: every further worker is told them */
    char pci[DEVICE_TEXT_SIZE]; /* of the device; empty when it is no PCI device */

    struct task task[MESSAGE_BATCH_MAX]; /* the batch */
    int tasks, done;                     /* `done` of them were timed; then they are counted */
    struct groups groups;
    double task_started; /* seconds */
    char stage[400];     /* a worker whose context is lost puts the error here */
    bool stopping;
    double stop_at;

    struct wire results; /* not sent up yet */
    uint32_t results_count;
    struct wire counted; /* the same of COUNTED */
    uint32_t counted_count;
    double results_since;     /* when the first of either came */
    bool measured;            /* it was given points */
    struct timeline timeline; /* what this rank, or its worker, was at */
    int64_t clock_offset;     /* ns: what the time of day is ahead of this rank's clock, as it started */
    double spans_since;       /* s: when they were sent */
    struct wire out;          /* scratch */
    uint32_t to_compile, compile_bad; /* answers that the current COMPILE waits for; failures among them */
    uint32_t compile_first;           /* of the failures: its index, and what the compiler said */
    char compile_log[1024];
};

/* When a worker that compiles is given up, unless one more kernel is done by then: a kernel may take as long as a point,
 * and what compiles it as long to start. */
static inline double runner_compile_deadline(const struct runner *runner)
{
    return clock_now() + 2 * runner->config.timing.timeout;
}

/* The rank is in this phase from now on; while its worker is at something, what that tells goes before. */
static inline void runner_enter(struct runner *runner, enum phase phase)
{
    timeline_enter(&runner->timeline, phase, 0, clock_now());
}

#endif
