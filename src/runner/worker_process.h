/* worker_process.h - a worker that is a process: the warpsweep-worker that lies beside this executable. */
#ifndef RUNNER_WORKER_PROCESS_H
#define RUNNER_WORKER_PROCESS_H

#include "runner/worker_link.h"

struct worker_link *worker_process_new(void); /* not started yet */

#endif
