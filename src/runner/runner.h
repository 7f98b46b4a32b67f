/* runner.h - the runner of a rank keeps a worker process running, which measures the points that the
 * coordinator sends.
 *
 * If a worker dies, hangs or sends garbage, its current point fails, the rest of the batch goes back to the
 * coordinator, and a new worker is started. After three failed starts in a row the rank is lost. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "mailbox/mailbox.h"
#include "mailbox/trace.h"
#include "runner/worker_link.h"

struct runner_options {
    const char *backend; /* to start with */
    struct home home;
    double silence;             /* s: timeout of heartbeats; 0: HEARTBEAT_TIMEOUT */
    struct worker_link *worker; /* owned by the runner from now on */
    struct trace trace;
    double born, entered; /* s of clock_now: start of the process and of MPI_Init; 0: unknown */
    double started;       /* s of clock_now: when `worker` was started; 0: it was not */
};

struct runner; /* opaque */

/* Uses the worker if it is up already; else runner_step starts it. */
struct runner *runner_new(const struct runner_options *options, struct mailbox *mailbox);
void runner_free(struct runner *runner); /* and its worker */

/* A message from the coordinator. */
void runner_receive(struct runner *runner, enum wire_type message, struct wire_reader *payload);

/* Handle messages, death and timeouts of the worker. True if something happened. */
bool runner_step(struct runner *runner);

int runner_descriptor(const struct runner *runner); /* to poll; -1: none */
bool runner_is_over(const struct runner *runner);   /* the coordinator has sent END */

/* Whether the coordinator has not answered for HEARTBEAT_PATIENCE times the timeout: it may be writing a
 * large file. */
#define HEARTBEAT_PATIENCE 4
bool runner_is_alone(struct runner *runner);
