/* run_state.h - the state of a run on rank 0, which its phases share: each has a header of its own. */
#pragma once

#include "base/privacy.h"
#include "coordinator/canaries.h"
#include "coordinator/faults/health.h"
#include "coordinator/opening.h"
#include "coordinator/progress/progress.h"
#include "coordinator/run_timeline.h"
#include "coordinator/schedule/schedule.h"
#include "coordinator/state/run_plan.h"
#include "mailbox/mailbox.h"
#include "mailbox/trace.h"

struct retries {
    int next;       /* rank to consider first */
    size_t waiting; /* that are not finished */
};

struct run {
    const struct launch_options *options;
    struct mailbox *mailbox;
    struct team team;
    struct privacy privacy; /* of what goes into the file */
    char backend[16];       /* of the workers */
    struct traits traits;   /* of the back end, known from the first HELLO */
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
    bool last; /* points that slow down what comes after them may come */

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

/* The device of a rank is what the file says of it, once the rank has told. */
void run_hide_device(struct run *run, int rank);

/* Begin a message in run->out, and return that. Send it to one rank, or to all. */
struct wire *run_begin_message(struct run *run);
void run_send(struct run *run, int rank, enum wire_type message);
void run_send_all(struct run *run, enum wire_type message);
