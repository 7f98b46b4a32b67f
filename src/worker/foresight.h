/* foresight.h - what is expected of the point after this one, computed while the device is busy with this one.
 *
 * One thread at a time, which the pool helps. It alone uses the expectations from foresight_start to foresight_wait; the
 * timeline knows nothing of it but the waiting. */
#ifndef WORKER_FORESIGHT_H
#define WORKER_FORESIGHT_H

#include "family/family.h"
#include "worker/expectations.h"

/* With fewer processors than this the thread that times would have none to itself. */
#define FORESIGHT_PROCESSORS 4

struct foresight; /* opaque */

/* `threads`: of the pool. `expectations` must outlive it; NULL: nothing is ever foreseen. The caller frees. */
struct foresight *foresight_new(struct expectations *expectations, int threads);
void foresight_free(struct foresight *foresight); /* waits */

/* Begin with a point, which is copied; its inputs are those of `seed`. Waits for the one before. Nothing happens where the
 * target cannot run it, all is known, or no thread can be had. */
void foresight_start(struct foresight *foresight, const struct point *point, const struct target *target,
                     uint64_t seed);

/* Until nothing is under way. */
void foresight_wait(struct foresight *foresight);

#endif
