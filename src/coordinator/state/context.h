/* context.h - what the coordinator's phases share: the state of the run, and how ranks are told. The phases
 * (opening.h, preparing.h, measuring.h) stand on it, and coordinator.c on them. */
#ifndef COORDINATOR_STATE_CONTEXT_H
#define COORDINATOR_STATE_CONTEXT_H

#include "coordinator/progress/forecast.h"
#include "coordinator/progress/progress.h"
#include "coordinator/state/run_plan.h"
#include "coordinator/state/team.h"
#include "mailbox/mailbox.h"
#include "mailbox/trace.h"

#define FAILURES_SHOWN 10 /* on the screen; all of them are in the file */

struct coordinator_context {
    const struct launch_options *options;
    struct mailbox *mailbox;
    struct team team;
    char backend[16];     /* that the workers run */
    struct traits traits; /* what it is, once they have said so */
    struct run_plan plan;
    struct progress progress;
    struct forecast *forecast; /* NULL until points are measured */
    struct trace trace;
    int quarantined, silent; /* ranks */
    int failures_shown;
    uint32_t next_process; /* number of the next worker process in the file */
    bool active;           /* something happened in this step */
    struct error error;    /* kind is not NONE: the run ends for this reason */
    struct wire out;       /* the message that is being written */
};

/* Begin a message in context->out. */
struct wire *context_begin_message(struct coordinator_context *context);

/* Send it: to one rank, or to all. */
void context_send(struct coordinator_context *context, int rank, enum message message);
void context_send_all(struct coordinator_context *context, enum message message);

/* Tell the observer of rows (struct launch_live), if any, of a point's. */
void context_show_row(struct coordinator_context *context, uint64_t id);

#endif
