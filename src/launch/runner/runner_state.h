/* runner_state.h - a runner's inside, shared by runner.c, batch.c and reports.c. */
#ifndef LAUNCH_RUNNER_RUNNER_STATE_H
#define LAUNCH_RUNNER_RUNNER_STATE_H

#include "core/config.h"
#include "core/greeting.h"
#include "launch/runner/runner.h"
#include "launch/runner/worker_link.h"

enum state { STARTING, IDLE, CHARACTERISING, COMPILING, MEASURING, LOST };

struct task {
    uint64_t id;
    uint32_t repeat;
    struct point point;
};

struct runner {
    struct runner_options options;
    struct mailbox *mailbox;
    char backend[16];
    enum state state;
    bool over;

    struct worker_link worker;
    double deadline; /* of what it is doing now */
    int failures;    /* starts in a row that came to nothing */
    double start_at; /* when to try the next start, while there is no process */

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

/* reports.c: what the runner tells the coordinator. `greeting` and `device` may be NULL, and `why` then says
 * why. */
void report_hello(struct runner *runner, const struct greeting *greeting, const char *why);
void report_device(struct runner *runner, const struct device *device, const char *why);
void report_compiled(struct runner *runner);
void report_ready(struct runner *runner, bool sees_token);

/* The results that have come together; `idle` also asks for the next batch. */
void report_results(struct runner *runner, bool idle);

/* Something that the user should know, once: why counters are missing. */
void report_note(struct runner *runner, const char *note);

/* This rank can do no more. */
void report_lost(struct runner *runner, const char *why);

#endif
