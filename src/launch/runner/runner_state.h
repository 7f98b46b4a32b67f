/* runner_state.h - a runner's inside, shared by runner.c, batch.c and reports.c. */
#ifndef LAUNCH_RUNNER_RUNNER_STATE_H
#define LAUNCH_RUNNER_RUNNER_STATE_H

#include "core/config.h"
#include "core/greeting.h"
#include "launch/runner/runner.h"

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
    bool replicate; /* its time alone is wanted */
    struct point point;
};

struct runner {
    struct runner_options options;
    struct mailbox *mailbox;
    char backend[16];
    enum runner_state state;
    bool over;

    struct worker_link *worker;
    uint32_t workers; /* that were started */
    uint32_t round;   /* of the batch that the worker was started for */
    bool linked;      /* the last batch loaded the host link */
    double began;     /* what it is doing now, in seconds */
    double deadline;  /* of what it is doing now */
    int failures;     /* starts in a row that came to nothing */
    double start_at;  /* when to try the next start, while there is no process */

    bool greeted; /* HELLO was sent up for this back end */
    bool configured;
    struct config config;
    char pci[DEVICE_TEXT_SIZE]; /* of the device; empty when it is no PCI device */

    struct task task[MESSAGE_BATCH_MOST]; /* the batch */
    int tasks, done;
    struct result
        held[MESSAGE_BATCH_MOST]; /* when the run counts: the first `done` results, until they are counted */
    double task_started;          /* seconds */
    char stage[400];              /* a worker whose context is lost puts the error here */
    bool stopping;
    double stop_at;

    struct wire results; /* not sent up yet */
    uint32_t results_count;
    double results_since;
    struct wire out;                  /* scratch */
    uint32_t to_compile, compile_bad; /* answers that the current COMPILE waits for; failures among them */
    char compile_log[1024];
};

#endif
