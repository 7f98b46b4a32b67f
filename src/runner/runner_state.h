/* runner_state.h - private state of a runner, and the functions of its files. */
#pragma once

#include "base/clock.h"
#include "mailbox/heartbeat.h"
#include "protocol/config.h"
#include "protocol/greeting.h"
#include "protocol/timeline.h"
#include "runner/runner.h"

enum { COORDINATOR = 0 }; /* its rank */

enum runner_state {
    RUNNER_STARTING,
    RUNNER_IDLE,
    RUNNER_CHARACTERISING,
    RUNNER_MEASURING,
    RUNNER_LOST, /* it has no worker and starts none */
};

struct runner {
    struct runner_options options;
    struct mailbox *mailbox;
    char backend[16];
    enum runner_state state;
    bool over;
    struct heartbeat heartbeat;
    double heartbeat_sent, heard; /* s of the heartbeat clock: last heartbeat sent, coordinator last heard */

    struct worker_link *worker;
    uint32_t workers; /* started so far */
    uint32_t noted;   /* ... when a note came */
    double started;   /* s of clock_now: when the last one was */
    double opened;    /* s of clock_now: start of this runner; its first worker may be older */
    double began;     /* s of clock_now: start of the current request */
    double deadline;  /* of the current request */
    double busy;      /* s: CPU time of the worker when it last grew */
    double active_at; /* s of the heartbeat clock: when that was */
    int failures;     /* failed starts in a row */
    double start_at;  /* s of clock_now: next start, while there is no worker */

    bool greeted; /* HELLO is sent for this back end */
    bool configured;
    struct config config;
    int spares_max;        /* workers that are started ahead */
    enum peaks_part peaks; /* that CHARACTERISE asks for */
    int peaks_tries;       /* workers that may still try to measure them; 0: they are not asked for */
    bool characterised;
    struct device device; /* as its worker has opened it; then with its peaks, which later workers get */
    char pci[DEVICE_TEXT_SIZE]; /* address of the device; empty: not a PCI device */
    char own[DEVICE_TEXT_SIZE]; /* its UUID; empty: it is not selected by that */

    struct todo task[WIRE_BATCH_MAX]; /* the batch */
    int tasks, done;                  /* the first `done` have a result */
    bool counts;                      /* they are timed, and are to be counted */
    int deaths;          /* consecutive points that have killed a worker when they were counted */
    double task_started; /* s of clock_now */
    char stage[400];     /* current stage; has the error if the worker has lost its context */
    bool stopping;
    double stop_at;

    struct wire reports;      /* results and counters that are not sent yet */
    double reports_since;     /* s of clock_now: arrival of the first of them */
    bool measured;            /* it has had points */
    struct timeline timeline; /* of this rank and its worker */
    double phases_since;      /* s of clock_now: when phases were last sent */
    struct wire out;          /* scratch */

    struct worker_link *compiler; /* the process that compiles ahead of the worker; not up: none */
    uint32_t to_compile;          /* kernels that it has not answered */
    double compile_deadline;      /* s of clock_now */
};

/* The rank enters a phase. What its worker reports for the same time takes precedence. */
static inline void runner_enter(struct runner *runner, enum phase phase)
{
    timeline_enter(&runner->timeline, phase, clock_now());
}

/* The rank has nothing to measure. If its compiler is at work, that is what its device waits for. */
static inline void runner_wait(struct runner *runner)
{
    enum phase waits = runner->measured ? PHASE_wait_work : PHASE_wait_ranks;
    runner_enter(runner, runner->to_compile ? PHASE_compile : waits);
}

/* ---- compiling.c: a process of its own compiles kernels, in the order of the request, while the worker
 * measures those that are ready ---- */

/* Handle WIRE_COMPILE. */
void compiling_take(struct runner *runner, struct wire_reader *payload);

/* Forward what is compiled. If the process dies or hangs, the points of the rest compile their kernels. True
 * if something happened. */
bool compiling_step(struct runner *runner);

/* Kill the process. */
void compiling_end(struct runner *runner);

/* ---- worker_control.c: start, configure, watch and replace the worker ---- */

/* Start a worker now; or in runner_step, as soon as the previous one has released the device. */
void runner_start_worker(struct runner *runner);
void runner_start_worker_when_free(struct runner *runner);
void runner_prepare_worker(
    struct runner *runner); /* the next process of the replicates, while this one measures */
void runner_note_worker_start(struct runner *runner, double time); /* one was started at `time` */

/* Watch the CPU time of the worker while it opens a device or measures peaks; whether it has used none for so
 * long that it must be stopped, or stuck in a driver. */
void runner_watch_worker(struct runner *runner);
bool runner_worker_is_stuck(struct runner *runner);

/* Send a new worker the configuration, and the peaks if they are known; let it measure those that the
 * coordinator waits for. */
void runner_configure_worker(struct runner *runner);
void runner_characterise(struct runner *runner);

/* The rank has no worker and starts none. */
void runner_give_up(struct runner *runner, const char *why);

/* The worker is gone, or must be killed: settle its current request, and start another one. */
void runner_replace_worker(struct runner *runner, enum status status, const char *why);

/* ---- batch.c: send the current batch to the worker, receive its results, settle points that it does not
 * survive ----
 *
 * Each result is reported as it arrives. If the worker dies or hangs, its current point has failed, and the
 * rest goes back to the coordinator. Which of several points has killed a worker that counts is not known:
 * all go back, to be counted in two parts. */

void batch_send(struct runner *runner);   /* to the worker, to measure or to count */
void batch_end(struct runner *runner);    /* report it and become idle */
void batch_recall(struct runner *runner); /* return the points that are not measured, the current one too */

/* The worker is gone because of `why`: settle its current point, and return the rest. */
void batch_settle(struct runner *runner, enum status status, const char *why);

/* Messages of the worker. False if they are invalid or unexpected. */
bool batch_take_stage(struct runner *runner, struct wire_reader *payload);
bool batch_take_result(struct runner *runner, struct wire_reader *payload);
bool batch_take_counted(struct runner *runner, struct wire_reader *payload);

/* ---- reports.c: messages to the coordinator (protocol/wire.h) ---- */

/* One of the worker, as it came; FATAL or LOST. */
void report_forward(struct runner *runner, enum wire_type message, const struct wire_reader *payload);
void report_failure(struct runner *runner, enum wire_type message, const char *why);

/* Queue RESULT or COUNTED. They are sent after FLUSH_SECONDS, before another worker starts, or by
 * report_results, which with `idle` also asks for the next batch. */
#define FLUSH_SECONDS 0.05
void report_queue(struct runner *runner, enum wire_type message, const struct wire *payload);
void report_results(struct runner *runner, bool idle);

/* Send the seconds by phase so far; `last`: the run is over. */
#define PHASES_SECONDS 0.1
void report_phases(struct runner *runner, bool last);
