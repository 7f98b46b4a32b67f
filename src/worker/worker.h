/* worker.h - state of the worker process, shared by the files that answer requests. */
#pragma once

#include "protocol/wire.h"
#include "worker/backend.h"

struct worker {
    const struct backend *backend;
    struct device device;
    struct target target;
    struct config config;
    int local_rank;
    uint32_t index;     /* of the current point in the request */
    bool noted;         /* the note about counters has been sent */
    struct wire answer; /* reused */
};

/* Exit because the runner is gone or violates the protocol; no message can be sent to it. */
_Noreturn void worker_leave(const char *why);

/* Send worker->answer. Exits if the runner is gone. */
void worker_send(struct worker *worker, enum wire_type type);

/* Send the phases of the timeline: before the last answer to a request, and before others if
 * phases_are_due. */
void worker_send_phases(struct worker *worker);

/* Answer WIRE_MEASURE: time the points, then count them. */
void worker_measure(struct worker *worker, struct wire_reader *request);
