/* worker_link.h - the connection to a worker: start it, hear what it says, and how it ends.
 *
 * runner/worker_process.h is the kind that is a process. Tests put a worker of their own making behind a
 * runner. */
#ifndef RUNNER_WORKER_LINK_H
#define RUNNER_WORKER_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "protocol/wire.h"

enum link_event {
    LINK_QUIET,      /* nothing for now */
    LINK_MESSAGE,    /* `type` and `payload`, valid until the next call */
    LINK_UNREADABLE, /* what it sent is no message */
    LINK_GONE,       /* it has ended; `why` says how */
};

/* What a kind of worker does: the functions below, under the same names. */
struct worker_link;
struct worker_link_kind {
    int (*start)(struct worker_link *link, const char *backend, int local_rank, struct error *error);
    bool (*is_up)(const struct worker_link *link);
    void (*send)(struct worker_link *link, enum wire_type type, const struct wire *payload);
    enum link_event (*next)(struct worker_link *link, enum wire_type *type, struct wire_reader *payload,
                            char *why, size_t size);
    int (*descriptor)(const struct worker_link *link);
    double (*busy)(const struct worker_link *link);
    void (*kill)(struct worker_link *link);
    void (*dismiss)(struct worker_link *link);
    bool (*is_free)(struct worker_link *link);
    void (*free)(struct worker_link *link);
};
struct worker_link {
    const struct worker_link_kind *kind;
};

int worker_link_start(struct worker_link *link, const char *backend, int local_rank, struct error *error);

bool worker_link_is_up(const struct worker_link *link);

/* Send a request. When the worker is gone this does nothing: its end shows in worker_link_next. */
void worker_link_send(struct worker_link *link, enum wire_type type, const struct wire *payload);

enum link_event worker_link_next(struct worker_link *link, enum wire_type *type, struct wire_reader *payload,
                                 char *why, size_t size);

int worker_link_descriptor(const struct worker_link *link); /* to wait on; -1: none */

/* Seconds of processor time that it has had: they grow while it works, however long it says nothing. */
double worker_link_busy(const struct worker_link *link);

/* Kill it at once; or ask it to leave, so that it gives the device back in order, and kill it after a second. Neither
 * waits: the worker is not up from now on, and another can be started once the link is free, which asking for moves
 * along. One that does not die, because a driver does not let go of it, is left behind after ten seconds. */
void worker_link_kill(struct worker_link *link);
void worker_link_dismiss(struct worker_link *link);
bool worker_link_is_free(struct worker_link *link);

void worker_link_free(struct worker_link *link); /* killed before */

#endif
