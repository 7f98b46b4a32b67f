/* starting.h - a runner's worker: started, told what it has to know, given up, replaced. */
#ifndef RUNNER_STARTING_H
#define RUNNER_STARTING_H

#include "runner/runner_state.h"

/* Start one now; or as soon as the one before it has given the device back: runner_step. */
void runner_start_worker(struct runner *runner);
void runner_start_worker_when_free(struct runner *runner);

/* One is being started since `time`. */
void runner_note_worker_start(struct runner *runner, double time);

/* It begins something that takes processor time, however slowly it goes: opening a device, measuring peaks. */
void runner_watch_worker(struct runner *runner);
/* Whether it has had none for so long that it is stopped, or stuck in a driver. */
bool runner_worker_is_stuck(struct runner *runner);

/* Tell a new one the configuration, and the peaks where they are known. */
void runner_configure_worker(struct runner *runner);

/* There is no worker, and there will be none. */
void runner_give_up(struct runner *runner, const char *why);

/* The worker is gone, or has to go: settle what it was at, and get another one. */
void runner_replace_worker(struct runner *runner, enum status status, const char *why);

#endif
