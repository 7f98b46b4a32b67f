/* pool.h - work on ranges of indices, spread over threads that sleep while there is none.
 *
 * A body gets [first, first + count) and must not touch what other ranges touch. Ranges are handed out in
 * ascending order to whichever thread is free, `grain` indices at a time, so that a core that another process
 * disturbs does not hold the rest up. The calling thread works too. */
#ifndef WORKER_POOL_H
#define WORKER_POOL_H

#include <stdint.h>

typedef void (*pool_body)(void *context, uint64_t first, uint64_t count);

/* Threads that stay: for work that is timed, or comes often. A `threads` below 1 counts as 1. When the system
 * grants fewer threads the pool works with those it has. Caller frees with pool_free. */
struct pool;
struct pool *pool_new(int threads);
void pool_free(struct pool *pool);
int pool_threads(const struct pool *pool); /* the caller among them */

/* Run `body` over [0, count); returns when all is done. At most `grain` indices (0 counts as 1) go to one
 * call of `body`; one range or less runs in the caller, without waking anybody, and may use the pool
 * itself. One caller at a time otherwise. */
void pool_do(struct pool *pool, uint64_t count, uint64_t grain, pool_body body, void *context);

/* The same on a pool of the process's own, which is made when it is first needed and stays. There are two, for as many callers at
 * once. Within a body that runs beside others of its kind, the caller does it all; so it does while both are other threads'. */
void pool_run(int threads, uint64_t count, uint64_t grain, pool_body body, void *context);

#endif
