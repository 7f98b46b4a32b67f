/* batch.h - the points that a runner has in hand: send them to its worker, take what comes back, settle what
 * does not.
 *
 * Each result goes up as it comes. When the run counts, the worker counts the batch in one go after its last point
 * was timed, and the counters follow. What it dies of, or hangs in, meanwhile costs no time: fewer points are counted
 * at once, each time in a new worker, until the one to blame is found, which alone lacks counters. */
#ifndef RUNNER_BATCH_H
#define RUNNER_BATCH_H

#include "runner/runner_state.h"

/* Send the worker what is left of the batch: to measure, to count, or nothing. */
void batch_send(struct runner *runner);

/* The runner is free. */
void batch_end(struct runner *runner);

/* The worker is gone, for `why`: settle the point it was at. A new worker gets the rest, if there is one. */
void batch_settle(struct runner *runner, enum status status, const char *why);

/* Give back what was not measured yet, the current point too. */
void batch_recall(struct runner *runner);

/* Messages of the worker: false when they cannot be read, or are out of turn. */
bool batch_take_stage(struct runner *runner, struct wire_reader *payload);
bool batch_take_result(struct runner *runner, struct wire_reader *payload);
bool batch_take_counted(struct runner *runner, struct wire_reader *payload);

#endif
