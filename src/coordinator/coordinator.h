/* coordinator.h - the coordinator on rank 0: it hands out the work and writes the results.
 *
 * A run has phases: every rank opens its device; devices are characterised, on a shared node one after
 * another, while kernels are compiled into the cache; points are measured as their kernels are ready. A
 * failure or a request to stop ends any of them. */
#pragma once

#include <stdbool.h>

#include "coordinator/state/run_options.h"
#include "mailbox/mailbox.h"
#include "mailbox/signals.h"
#include "mailbox/trace.h"
#include "store/dataset/dataset.h"

struct coordinator; /* opaque */

/* The back end that workers start with. */
const char *coordinator_first_backend(const struct launch_options *options);

/* Read the job. Does not need MPI. If coordinator_is_fine is false, that has failed; coordinator_end then
 * prints the error and returns its exit code. */
struct coordinator *coordinator_new(const struct launch_options *options, const struct trace *trace);
bool coordinator_is_fine(const struct coordinator *coordinator);

/* This is rank 0 of `ranks`: start the run. If the job could not be read, the ranks are sent END. */
void coordinator_begin(struct coordinator *coordinator, struct mailbox *mailbox, int ranks);

/* This is another rank. Instead of coordinator_begin. */
void coordinator_discard(struct coordinator *coordinator);

/* Handle a message from the runner of a rank. */
void coordinator_receive(struct coordinator *coordinator, int rank, enum wire_type message,
                         struct wire_reader *payload);

/* Handle the signals that this rank, or another, has seen so far. */
void coordinator_signal(struct coordinator *coordinator, struct signals seen);

/* Hand out, write, draw. True if something happened. */
bool coordinator_step(struct coordinator *coordinator);

/* Whether every rank that answers has sent its last phases. Called between the end of the run and
 * coordinator_end. */
bool coordinator_all_ranks_ended(const struct coordinator *coordinator);

/* Number of ranks without heartbeats, or that did not answer a request to stop. Nobody should wait for
 * them. */
int coordinator_silent_ranks(const struct coordinator *coordinator);

/* Measurements that are done, and those of the whole run: replicates, too. */
void coordinator_progress(const struct coordinator *coordinator, uint64_t *done, uint64_t *total);

/* Write the final file, print the summary and release everything but what the file contains, which `results`
 * gets (if it was written; may be NULL). Returns the exit code. Every rank has been sent END. */
int coordinator_end(struct coordinator *coordinator, struct dataset *results);
