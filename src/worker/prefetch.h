/* prefetch.h - what is expected of the points after this one, computed while the device is busy with this one.
 *
 * One thread, which the pool helps, goes through the points that were announced, in their order. Whoever verifies a point
 * claims it first: what is kept then stays until it is released. The timeline knows nothing of it but the waiting. */
#ifndef WORKER_PREFETCH_H
#define WORKER_PREFETCH_H

#include "family/family.h"
#include "protocol/config.h"
#include "worker/expectations.h"

/* With fewer processors than this the thread that times would have none to itself. */
#define FORESIGHT_PROCESSORS 4

#define FORESIGHT_AHEAD LOOK_AHEAD_PREFETCH

struct foresight; /* opaque */

/* `threads`: of the pool. `expectations` must outlive it; NULL: nothing is ever foreseen. The caller frees. */
struct foresight *foresight_new(struct expectations *expectations, int threads);
void foresight_free(struct foresight *foresight); /* what it is at is done before */

/* A point that will be claimed, which is copied; its inputs are those of `seed`. Nothing happens where it was announced
 * before, the target cannot run it, or nothing can be kept. False: there are FORESIGHT_AHEAD already, and no later one may
 * come before this one. */
bool foresight_announce(struct foresight *foresight, const struct point *point, const struct target *target,
                        uint64_t seed);

/* Wait until the point was gone through, if it was announced. From then on nothing that is kept makes way for anything else,
 * until foresight_release: what is known of it can be compared with. */
void foresight_claim(struct foresight *foresight, const struct point *point, uint64_t seed);

/* Between the two: something has to be computed here after all. Waits until nothing is under way, which then begins only after
 * foresight_release. */
void foresight_stand_aside(struct foresight *foresight);

/* Also without a claim. */
void foresight_release(struct foresight *foresight);

/* Forget what was announced, and wait until nothing is under way: the processors are free. */
void foresight_clear(struct foresight *foresight);

#endif
