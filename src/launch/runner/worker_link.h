/* worker_link.h - the connection to a worker process: start it, hear what it says, and how it ends. */
#ifndef LAUNCH_RUNNER_WORKER_LINK_H
#define LAUNCH_RUNNER_WORKER_LINK_H

#include <stdbool.h>

#include "core/wire.h"
#include "process/process.h"

struct worker_link {
    struct process process;
    struct wire_stream stream;
    bool ended;      /* its pipe came to an end */
    double ended_at; /* seconds */
};

/* Start the warpsweep-worker that lies beside this executable. */
int worker_link_start(struct worker_link *link, const char *backend, int local_rank, struct error *error);

bool worker_link_is_up(const struct worker_link *link);

/* Send a request. When the worker is gone this does nothing: its end shows in worker_link_next. */
void worker_link_send(struct worker_link *link, enum wire_type type, const struct wire *payload);

enum link_event {
    LINK_QUIET,   /* nothing for now */
    LINK_MESSAGE, /* `type` and `payload`, valid until the next call */
    LINK_RUBBISH, /* what it sent is no message */
    LINK_GONE,    /* it has ended; `why` says how */
};
enum link_event worker_link_next(struct worker_link *link, enum wire_type *type, struct wire_reader *payload,
                                 char *why, size_t size);

int worker_link_descriptor(const struct worker_link *link); /* to wait on; -1: none */

/* Kill it at once; or ask it to leave, so that it gives the device back in order, and kill it after a second.
 */
void worker_link_kill(struct worker_link *link);
void worker_link_dismiss(struct worker_link *link);

#endif
