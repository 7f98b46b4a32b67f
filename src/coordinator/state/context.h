/* context.h - the state that the phases of the coordinator share (opening.h, preparing.h, measuring.h), and sending messages
 * to ranks. */
#pragma once

#include "coordinator/progress/forecast.h"
#include "coordinator/progress/progress.h"
#include "coordinator/state/run_plan.h"
#include "coordinator/state/team.h"
#include "mailbox/mailbox.h"
#include "mailbox/trace.h"

#define FAILURES_SHOWN 10 /* on the screen; the file has all of them */

struct coordinator_context {
    const struct launch_options *options;
    struct mailbox *mailbox;
    struct team team;
    char backend[16];     /* of the workers */
    struct traits traits; /* of the back end, known from the first HELLO */
    struct run_plan plan;
    struct progress progress;
    struct forecast *forecast; /* NULL before measuring */
    struct trace trace;
    int quarantined, silent; /* ranks */
    int failures_shown;
    uint32_t next_process; /* number of the next worker process in the file */
    bool active;           /* something happened in this step */
    struct error error;    /* ends the run unless its kind is NONE */
    struct wire out;       /* buffer of the current message */
};

/* Begin a message in context->out, and return that. */
struct wire *context_begin_message(struct coordinator_context *context);

/* Send the message to one rank, or to all. */
void context_send(struct coordinator_context *context, int rank, enum message message);
void context_send_all(struct coordinator_context *context, enum message message);
