/* worker.h - the worker process, as the files that answer its requests share it. */
#ifndef WORKER_WORKER_H
#define WORKER_WORKER_H

#include "protocol/wire.h"
#include "worker/backend.h"

struct worker {
    const struct backend *backend;
    struct device device;
    struct target target;
    struct config config;
    int in, out;
    uint32_t index;     /* of the current point in the request */
    bool noted;         /* the note about counters was sent */
    struct wire answer; /* reused */
};

/* The runner is gone, or sends what no runner sends: there is nobody to tell. */
_Noreturn void worker_leave(const char *why);

/* Send what is in worker->answer. Where the runner is gone, the process ends. */
void worker_send(struct worker *worker, enum wire_type type);

/* Before the answer that ends a request; and before others when it is time. */
void worker_send_spans(struct worker *worker);

/* WIRE_MEASURE: time points, then count them. */
void worker_measure(struct worker *worker, struct wire_reader *request);

#endif
