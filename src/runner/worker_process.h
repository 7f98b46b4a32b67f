/* worker_process.h - a worker process: the warpsweep-worker in the folder of this executable. */
#ifndef RUNNER_WORKER_PROCESS_H
#define RUNNER_WORKER_PROCESS_H

#include "runner/worker_link.h"

struct worker_link *worker_process_new(void); /* not started */

#endif
