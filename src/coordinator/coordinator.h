/* coordinator.h - rank 0's second part: hand out the work, and write what comes back.
 *
 * A run goes through phases: every rank opens its device; the devices are characterised, one at a time on a
 * node; kernels are compiled into the cache; points are measured. A failure or a request to stop ends it from
 * anywhere. */
#ifndef COORDINATOR_COORDINATOR_H
#define COORDINATOR_COORDINATOR_H

#include <stdbool.h>

#include "coordinator/state/run_options.h"
#include "mailbox/mailbox.h"
#include "mailbox/signals.h"
#include "mailbox/trace.h"

struct coordinator; /* opaque */

/* The back end that workers start with. */
const char *coordinator_first_backend(const struct launch_options *options);

/* Reads the job, for which MPI need not have started. False from coordinator_is_fine: that has failed, which will show in
 * the exit code at the end. */
struct coordinator *coordinator_new(const struct launch_options *options, const struct trace *trace);
bool coordinator_is_fine(const struct coordinator *coordinator);

/* It is rank 0's, and there are so many: waits for them. When the job could not be read they are told that it is over. */
void coordinator_begin(struct coordinator *coordinator, struct mailbox *mailbox, int ranks);

/* It turned out to be another rank's: in place of coordinator_begin. */
void coordinator_discard(struct coordinator *coordinator);

/* A message from a rank's runner. */
void coordinator_receive(struct coordinator *coordinator, int rank, enum message message,
                         struct wire_reader *payload);

/* Signals that this rank, or another, has seen so far. */
void coordinator_signal(struct coordinator *coordinator, struct signals seen);

/* Move on: hand out, write, draw. True when something happened. */
bool coordinator_step(struct coordinator *coordinator);

/* Whether every rank that still answers has told what it was at last: after the end, before coordinator_end. */
bool coordinator_all_ranks_ended(const struct coordinator *coordinator);

/* Ranks that were given up because they were silent, or that did not answer a request to stop: nobody should wait for
 * them. */
int coordinator_silent_ranks(const struct coordinator *coordinator);

/* Write the final file, print the summary, release everything; returns the exit code. Every rank has been
 * told END when the run is over. */
int coordinator_end(struct coordinator *coordinator);

#endif
