/* pool.h - a thread pool for parallel loops over indices.
 *
 * A body processes [first, first + count), independently of other ranges. Ranges of `grain` indices are handed out in
 * ascending order to free threads, so that a core disturbed by another process does not delay the loop. The calling thread
 * works, too. */
#pragma once

#include <stdint.h>

typedef void (*pool_body)(void *context, uint64_t first, uint64_t count);

/* A pool of `threads` threads, the caller included; values below 1 count as 1. If the system grants fewer, the pool works with
 * those. The caller frees it by pool_free. */
struct pool;
struct pool *pool_new(int threads);
void pool_free(struct pool *pool);
int pool_threads(const struct pool *pool); /* including the caller */

/* Run `body` over [0, count), at most `grain` indices per call (0 counts as 1); returns when all are done. A single range runs in
 * the caller without waking threads, and may itself use the pool. Otherwise one caller at a time. */
void pool_do(struct pool *pool, uint64_t count, uint64_t grain, pool_body body, void *context);

/* The same on a shared pool of the process, made on first use. There are two of them, for two callers at a time. A call from
 * within a parallel body runs in the caller alone, and so does a call while both pools are in use. */
void pool_run(int threads, uint64_t count, uint64_t grain, pool_body body, void *context);
