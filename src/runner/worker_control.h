/* worker_control.h - start, configure, watch and replace the worker of a runner. */
#pragma once

#include "runner/runner_state.h"

/* Start a worker now; or in runner_step, as soon as the previous one has released the device. */
void runner_start_worker(struct runner *runner);
void runner_start_worker_when_free(struct runner *runner);
void runner_prepare_worker(
    struct runner *runner); /* the next process of the replicates, while this one measures */

/* A worker was started at `time`. */
void runner_note_worker_start(struct runner *runner, double time);

/* Watch the CPU time of the worker while it opens a device or measures peaks. */
void runner_watch_worker(struct runner *runner);
/* Whether it has used no CPU time for so long that it must be stopped, or stuck in a driver. */
bool runner_worker_is_stuck(struct runner *runner);

/* Send a new worker the configuration, and the peaks if they are known. */
void runner_configure_worker(struct runner *runner);

/* The rank has no worker and starts none. */
void runner_give_up(struct runner *runner, const char *why);

/* The worker is gone, or must be killed: settle its current request, and start another one. */
void runner_replace_worker(struct runner *runner, enum status status, const char *why);
