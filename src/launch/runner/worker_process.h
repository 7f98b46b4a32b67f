/* worker_process.h - a worker that is a process: the warpsweep-worker that lies beside this executable. */
#ifndef LAUNCH_RUNNER_WORKER_PROCESS_H
#define LAUNCH_RUNNER_WORKER_PROCESS_H

#include "launch/runner/worker_link.h"

struct worker_link *worker_process_new(void); /* not started yet */

#endif
