/* pool.h - a thread pool for parallel loops over indices.
 *
 * A body processes [first, first + count), independently of other ranges. Ranges of `grain` indices are
 * handed out in ascending order to free threads, so that a core disturbed by another process does not delay
 * the loop. The calling thread works, too. */
#pragma once

#include <stdint.h>

typedef void (*pool_body)(void *context, uint64_t first, uint64_t count);

/* Run `body` over [0, count) on `threads` threads, the caller included, or as many as the system grants; at
 * most `grain` indices per call (0 counts as 1). Returns when all are done. A single range runs in the caller
 * without waking threads, and may itself call this. The threads are one pool, made on first use: a call from
 * within a parallel body runs in the caller alone, and so does a call while another one has the pool. */
void pool_run(int threads, uint64_t count, uint64_t grain, pool_body body, void *context);
