/* batch.h - the points that a runner has in hand: send them to its worker, take what comes back, settle what
 * does not.
 *
 * When the run counts, the results of a batch are held until the worker has counted all of it, which it does
 * in one go after the last was timed; what it dies of meanwhile costs the counters, never the times. */
#ifndef LAUNCH_RUNNER_BATCH_H
#define LAUNCH_RUNNER_BATCH_H

#include "launch/runner/runner_state.h"

/* Send the worker what is left of the batch: to measure, to count, or nothing. */
void batch_send(struct runner *runner);

/* Report what is held, and that the runner is free. */
void batch_end(struct runner *runner);

/* The worker is gone, for `why`: settle the point it was at. A new worker gets the rest, if there is one. */
void batch_settle(struct runner *runner, enum status status, const char *why);

/* Forget the batch and what is held of it. */
void batch_free(struct runner *runner);

/* Messages of the worker: false when they cannot be read, or are out of turn. */
bool batch_take_stage(struct runner *runner, struct wire_reader *payload);
bool batch_take_result(struct runner *runner, struct wire_reader *payload);
bool batch_take_counted(struct runner *runner, struct wire_reader *payload);

#endif
