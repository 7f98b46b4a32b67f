/* runner.h - one rank's part: keep a worker process going, and have it measure what the coordinator sends.
 *
 * A worker that dies, hangs or cannot be understood costs the point it was at, and is replaced; the rest of
 * the batch goes on. After three failed starts in a row the rank gives up its part. */
#ifndef RUNNER_RUNNER_H
#define RUNNER_RUNNER_H

#include <stdbool.h>

#include "mailbox/mailbox.h"
#include "mailbox/trace.h"
#include "runner/worker_link.h"

struct runner_options {
    const char *backend; /* to start with */
    const char *host;    /* name of this node */
    int node;            /* a number that the ranks of this node have in common */
    int local_rank, local_size;
    int coordinator;            /* its rank */
    double silence;             /* s: a coordinator that is silent for so long is no more */
    struct worker_link *worker; /* the runner's from now on */
    struct trace trace;
    double born, entered; /* s of clock_now: when the process began, and MPI_Init; 0: not told */
    double started;       /* the same: when `worker` was started for this back end and rank; 0: it was not */
};

struct runner; /* opaque */

/* The worker is up already, or is started by runner_step. */
struct runner *runner_new(const struct runner_options *options, struct mailbox *mailbox);
void runner_free(struct runner *runner); /* and its worker */

/* A message from the coordinator. */
void runner_receive(struct runner *runner, enum message message, struct wire_reader *payload);

/* See to the worker: what it says, whether it lives, how long it takes. True when something happened. */
bool runner_step(struct runner *runner);

int runner_descriptor(const struct runner *runner); /* to wait on; -1: none */
bool runner_is_over(const struct runner *runner);   /* the coordinator said END */

/* The coordinator answers nothing for HEARTBEAT_PATIENCE times the silence: it may write a large file meanwhile. */
#define HEARTBEAT_PATIENCE 4
bool runner_is_alone(struct runner *runner);

#endif
