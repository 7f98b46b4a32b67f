/* run_state.h - the state of a run on rank 0, and what its phases do: opening, preparing, measuring. */
#pragma once

#include "coordinator/faults/health.h"
#include "coordinator/progress/progress.h"
#include "coordinator/schedule/schedule.h"
#include "coordinator/state/run_plan.h"
#include "mailbox/mailbox.h"
#include "mailbox/trace.h"
#include "protocol/greeting.h"
#include "protocol/timeline.h"
#include "verdict/verdict.h"

#define FAILURES_SHOWN  10 /* on the screen; the file has all of them */
#define CANARIES_MAX    4
#define CANARY_INTERVAL 600.0 /* s */

struct opening {
    struct build build; /* ours; every worker must match it */
    bool automatic;     /* fall back to the host if there is no GPU */
    struct environment environment;
};

/* Points that every device repeats at the start, half-way, every ten minutes and at the end, to record drift
 * and the spread between devices. */
struct canaries {
    uint32_t index[CANARIES_MAX]; /* into the grid */
    int count;
    size_t failed[CANARIES_MAX]; /* repetitions */
    bool good[CANARIES_MAX];     /* the point, or a repetition, has succeeded on some device */
    uint32_t repeat;             /* the last number given; repetitions are numbered over all devices */
    double last;                 /* s of clock_now: when they were last handed out */
    bool started, halved;
};

/* The seconds by phase of the ranks and of the coordinator. */
struct run_timeline {
    double start;               /* of the run, s of clock_now */
    struct recorded_lane *lane; /* owned: of each rank, then the coordinator's */
    int ended;                  /* ranks that have sent their last sums */
};

struct retries {
    int next;       /* rank to consider first */
    size_t waiting; /* that are not finished */
};

struct run {
    const struct launch_options *options;
    struct mailbox *mailbox;
    struct team team;
    char backend[16];     /* of the workers */
    struct traits traits; /* of the back end, known from the first HELLO */
    struct run_plan plan;
    struct progress progress;
    struct trace trace;
    struct run_timeline timeline;
    struct opening opening;
    struct kernels *kernels; /* owned; NULL before they are compiled */

    struct schedule *schedule; /* with the next two: NULL before measuring */
    struct replicates *replicates;
    struct health *health;
    struct canaries canaries;
    struct retries retries;
    size_t replicates_failed;
    size_t retried_ok; /* points that succeeded on retry */
    bool stopping;

    int quarantined, silent; /* ranks */
    int failures_shown;
    uint32_t next_process; /* number of the next worker process in the file */
    uint32_t parts;        /* of batches that were returned, so far */
    bool active;           /* something happened in this step */
    struct error error;    /* ends the run unless its kind is NONE */
    struct wire out;       /* buffer of the current message */
};

/* Note something of the run in /environment of the file, or, before it is open, in what will be there. */
void run_note(struct run *run, const char *name, const char *text);

/* The same of a rank and its device. Returns the text. */
const char *run_note_rank(struct run *run, int rank, const char *name, const char *what, char text[600]);

/* Begin a message in run->out, and return that. Send it to one rank, or to all. */
struct wire *run_begin_message(struct run *run);
void run_send(struct run *run, int rank, enum wire_type message);
void run_send_all(struct run *run, enum wire_type message);

/* ---- Opening: choose the back end, open the results file, find the work and configure the ranks ---- */

enum opening_state { OPENING_WAITS, OPENING_DONE, OPENING_NOTHING_TO_DO };

void opening_start(struct run *run);
void opening_take_home(struct run *run, int rank, struct wire_reader *payload);
void opening_take_hello(struct run *run, int rank, struct wire_reader *payload);
void opening_take_failure(struct run *run, int rank, enum hello hello, const char *why);

/* Continue when all ranks have answered. Errors are in run->error. */
enum opening_state opening_step(struct run *run);

/* ---- Preparing: measure the peaks of the devices. Done when team.unanswered is 0 ---- */

/* Characterise the devices. On a node whose ranks have a device each: all at once, then their host links one
 * after another. If the ranks share the processor and memory of the node: one after another. */
void preparing_characterise(struct run *run);
void preparing_take_device(struct run *run, int rank, struct wire_reader *payload);
void preparing_take_failure(struct run *run, int rank, const char *why);

/* A rank is lost: stop waiting for it. */
void preparing_lose(struct run *run, int rank);

/* ---- Kernels: compiled into the cache in the order in which points need them, while points are measured.
 * Points whose kernels are ready come first; those that want the processors to themselves come when all are
 * ---- */

/* Each node compiles each kernel once. */
void kernels_start(struct run *run);
void kernels_take(struct run *run, int rank, struct wire_reader *payload);

/* A rank is lost: its points compile their kernels. */
void kernels_lose(struct run *run, int rank);

/* Put points that are ready into the schedule, in the order of work. */
void kernels_queue(struct run *run);

/* Whether those of the canaries are ready. */
bool kernels_have_canaries(const struct run *run);

void kernels_end(struct run *run);

/* ---- Measuring: hand out points ---- */

void measuring_start(struct run *run);

/* Hand out work. True when everything is done. */
bool measuring_step(struct run *run);

/* Hand out nothing more. Running points may finish within `grace` seconds. */
void measuring_stop(struct run *run, double grace);

void measuring_end(struct run *run);

/* How often a point is measured or counted after its first time. */
double measuring_further(const struct run *run);

/* ---- Results: write rows, retry failures, hold or quarantine devices, reassign the points of lost ranks */

void results_take(struct run *run, int rank, struct wire_reader *payload);

/* A rank is lost: reassign what it has not finished. If it is silent, its current point counts as an attempt,
 * because the point may be the cause. */
void results_lose(struct run *run, int rank);

/* What a rank has sent of an item: the result of its point, or of both points of a pair. */
struct halves {
    struct result *result[2]; /* borrowed */
    uint32_t index[2];
    int count;
    bool died;             /* the worker has died of the pair: nobody knows at which point */
    struct result made_up; /* of the second point then */
};
void halves_of(const struct run *run, const struct schedule_item *item, struct result *result,
               struct halves *halves);

/* Store what has come; a result that cannot be fails. A retry of a pair does not replace a good point by a
 * bad one. */
void halves_keep(struct run *run, int rank, const struct schedule_item *item, const struct halves *halves);

/* The status of an item: that of its worst point. */
enum status halves_worst(const struct halves *halves);

/* How many of its points have a status. */
unsigned halves_count(const struct halves *halves, enum status status);

/* ---- Attempts: retry a point that failed, crashed or timed out once, on another device, and judge the
 * devices by it */

/* Let another rank retry the item that `rank` has failed. */
void attempts_retry(struct run *run, int rank, struct schedule_item item);

/* Whether another rank than `rank` could measure the item. */
bool attempts_has_other(struct run *run, int rank, const struct schedule_item *item);

/* Reassign a retry that a rank has returned unfinished. */
void attempts_pass_on(struct run *run, struct schedule_item item);

/* A retry by `rank` has ended: update the health of the rank that failed before. */
void attempts_settle(struct run *run, const struct schedule_item *item, int rank, enum status status);

/* Hold or release the rank by its current health. True if it is sick and must be quarantined. */
bool attempts_judge(struct run *run, int rank);

/* The rank is quarantined and lost: retry a point whose failure it alone has confirmed. */
void attempts_retry_final(struct run *run, int rank, uint32_t index);

/* ---- Canaries ---- */

/* Choose up to CANARIES_MAX, one per 16 points. */
void canaries_choose(struct run *run);

/* Hand out a round if one is due; `finished`: all points are measured. True if it did. */
bool canaries_tick(struct run *run, bool finished);

/* Hand the last round to a rank that has nothing left to time, unless it has had that. */
void canaries_end(struct run *run, int rank);

/* Note a result of the point or a repetition. True if it is a canary that has not succeeded on any device:
 * its kernel is at fault, and no device. It is not repeated again. */
bool canaries_take(struct run *run, uint32_t index, bool bad, bool repetition);

/* Hand all of them to one rank now, to check its device. */
void canaries_probe(struct run *run, int rank);

/* ---- Timeline: a row for each phase and kernel of a lane, laid end to end. The first message of a rank puts
 * its lane on the clock of rank 0. ---- */

void run_timeline_start(struct run *run);
void run_timeline_end(struct run *run);

/* Handle WIRE_LANE of a rank. */
void run_timeline_receive(struct run *run, int rank, struct wire_reader *payload);

/* The coordinator was in `phase` from `start` to `end`, s of clock_now. */
void run_timeline_add(struct run *run, enum phase phase, double start, double end);

/* Before a file is written: put what is known so far into the store. */
void run_timeline_write(struct run *run);

/* ---- The end of a run: its verdict and messages ---- */

/* Print the command that resumes a stopped run. */
void summary_resume(struct run *run, size_t planned, const struct verdict *verdict);

/* Note what the rows of the file do not tell, and judge the file. Its verdict, which verdict_free releases,
 * is noted, too, unless the run leaves the file as it was. `unfinished`: the run was stopped before its
 * end. */
struct verdict summary_judge(struct run *run, bool unfinished);

/* Print the outcome of the run, and why the file is not good. The run began at `start`, s of clock_now. */
void summary_say(struct run *run, double start, const struct verdict *verdict);
