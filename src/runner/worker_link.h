/* worker_link.h - the connection to a worker: start it, exchange messages, learn how it ends.
 *
 * Tests of the runner define these functions themselves, and the linker takes theirs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "protocol/greeting.h"
#include "protocol/wire.h"

enum link_event {
    LINK_QUIET,      /* no message */
    LINK_MESSAGE,    /* `type` and `payload`, valid until the next call */
    LINK_UNREADABLE, /* invalid data */
    LINK_GONE,       /* it has ended; `why` says how */
};

struct worker_link; /* opaque */

/* A link to the warpsweep-worker in the folder of this executable; not started. */
struct worker_link *worker_link_new(void);

/* `device`: the UUID of the only device that it is to see; "": any. */
int worker_link_start(struct worker_link *link, const char *backend, int local_rank, const char *device,
                      struct error *error);

/* Start a process that only compiles, without a device, and with the lowest priority. A link has one in its
 * life. */
int worker_link_start_compiler(struct worker_link *link, const char *backend, struct error *error);

#define WORKER_SPARES_MAX 2

/* Start spare workers until there are `count`, up to WORKER_SPARES_MAX: processes that have initialised their
 * driver. The next worker_link_start with the same arguments makes the oldest the worker, which then opens
 * its device. A failure is that one's to report. */
void worker_link_prepare(struct worker_link *link, int count, const char *backend, int local_rank,
                         const char *device);

/* Wait up to `seconds` for what a worker that was just started says of itself and its device. The message
 * stays: worker_link_next returns it. False: it said something else, or nothing. */
bool worker_link_peek(struct worker_link *link, double seconds, struct greeting *greeting);

bool worker_link_is_up(const struct worker_link *link);

/* Send a request. Ignored if the worker is gone, which worker_link_next reports. */
void worker_link_send(struct worker_link *link, enum wire_type type, const struct wire *payload);

enum link_event worker_link_next(struct worker_link *link, enum wire_type *type, struct wire_reader *payload,
                                 char *why, size_t size);

int worker_link_descriptor(
    const struct worker_link *link); /* to poll; -1: none, or an earlier worker is not gone yet */

/* CPU time of the worker in seconds. */
double worker_link_busy(const struct worker_link *link);

/* Kill the worker; or dismiss it: ask it to exit, so that it releases the device, and kill it after a second.
 * Neither waits. Another worker can be started beside one that was dismissed, and opens its device meanwhile;
 * but nothing may be measured before worker_link_is_free, which must be polled: it does the killing. A
 * process that is stuck in a driver is abandoned after ten seconds. */
void worker_link_kill(struct worker_link *link);
void worker_link_dismiss(struct worker_link *link);
bool worker_link_is_leaving(const struct worker_link *link); /* was dismissed, and has not been killed */
bool worker_link_is_free(struct worker_link *link);

void worker_link_free(struct worker_link *link); /* kill it first */
