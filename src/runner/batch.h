/* batch.h - the current batch of a runner: send it to the worker, receive its results, and settle points that the worker does
 * not survive.
 *
 * Each result is reported as it arrives. If the run has counters, the worker counts the whole batch after timing its last
 * point. If it dies or hangs while counting, the times are kept: the rest is counted in smaller groups, each in a new worker,
 * until the one point at fault is found, which then lacks counters. */
#pragma once

#include "runner/runner_state.h"

/* Send the rest of the batch to the worker, to measure or to count. */
void batch_send(struct runner *runner);

/* The batch is finished: report it and become idle. */
void batch_end(struct runner *runner);

/* The worker is gone because of `why`: settle its current point. A new worker gets the rest. */
void batch_settle(struct runner *runner, enum status status, const char *why);

/* Return the points that are not measured, including the current one. */
void batch_recall(struct runner *runner);

/* Handle messages of the worker. False if they are invalid or unexpected. */
bool batch_take_stage(struct runner *runner, struct wire_reader *payload);
bool batch_take_result(struct runner *runner, struct wire_reader *payload);
bool batch_take_counted(struct runner *runner, struct wire_reader *payload);
