#include "worker/worker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/process.h"
#include "worker/phases.h"

_Noreturn void worker_leave(const char *why)
{
    fprintf(stderr, "warpsweep-worker: %s\n", why);
    exit(3);
}

void worker_send(struct worker *worker, enum wire_type type)
{
    if (wire_send(PROCESS_OUT, type, &worker->answer) != 0)
        worker_leave(strerror(errno));
}

void worker_send_phases(struct worker *worker)
{
    wire_reset(&worker->answer);
    phases_put(&worker->answer);
    worker_send(worker, WIRE_PHASES);
}
