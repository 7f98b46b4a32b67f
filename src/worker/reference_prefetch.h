/* reference_prefetch.h - reference outputs of the next points, computed while the device is busy with this one.
 *
 * One thread, helped by the pool, computes the announced points in order. The thread that verifies a point claims it first:
 * this waits until the point is done, and keeps its reference outputs until release. Only that wait is in the timeline. */
#pragma once

#include "family/family.h"
#include "protocol/config.h"
#include "worker/expectations.h"

/* Prefetch needs this many processors: with fewer, the thread that times would not have one to itself. */
#define PREFETCH_PROCESSORS_MIN 4

/* Points in the queue, at most. */
#define PREFETCH_AHEAD_MAX LOOK_AHEAD_PREFETCH

struct reference_prefetch; /* opaque */

/* `threads`: threads of the pool. `expectations` must outlive the result; if NULL, nothing is computed. The caller frees. */
struct reference_prefetch *reference_prefetch_new(struct expectations *expectations, int threads);
void reference_prefetch_free(struct reference_prefetch *prefetch); /* waits for the point in work */

/* Queue a copy of the point, whose inputs are made from `seed`. Does nothing if the point is queued already, if the target
 * does not support it, or without expectations. False: the queue is full; the caller must stop, because points are claimed
 * in the order of their announcement. */
bool reference_prefetch_announce(struct reference_prefetch *prefetch, const struct point *point,
                                 const struct target *target, uint64_t seed);

/* Wait until the point is done, if it was announced. From here to reference_prefetch_release the expectations stay as they
 * are: nothing is evicted, so outputs can be compared with them. */
void reference_prefetch_claim(struct reference_prefetch *prefetch, const struct point *point, uint64_t seed);

/* Between claim and release, when the caller must compute a reference itself: wait for the point in work, and start no other
 * until release. */
void reference_prefetch_pause(struct reference_prefetch *prefetch);

/* Allowed without a claim. */
void reference_prefetch_release(struct reference_prefetch *prefetch);

/* Empty the queue and wait for the point in work, so that all processors are free. */
void reference_prefetch_clear(struct reference_prefetch *prefetch);
