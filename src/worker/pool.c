#include "worker/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static struct {
    pthread_mutex_t caller; /* held by the one whose ranges run */

    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t start, done;
    int helpers, wanted; /* threads beside the caller; those of the current round */
    uint64_t round;      /* grows by one per call: what helpers wait for */
    int busy;            /* helpers that have not finished the current round */

    /* The current round: written under the mutex before `round` grows, read only until `busy` is 0. */
    pool_body body;
    void *context;
    uint64_t count, grain;
    _Atomic uint64_t next; /* the next range to hand out */
} pool = {.caller = PTHREAD_MUTEX_INITIALIZER,
          .mutex = PTHREAD_MUTEX_INITIALIZER,
          .start = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};

static _Thread_local bool within; /* in a parallel body: all threads are busy */

static void take_ranges(void)
{
    uint64_t ranges = (pool.count - 1) / pool.grain + 1;
    bool before = within;
    within = true;
    for (;;) {
        uint64_t range = atomic_fetch_add_explicit(&pool.next, 1, memory_order_relaxed);
        if (range >= ranges)
            break;
        uint64_t first = range * pool.grain, left = pool.count - first;
        pool.body(pool.context, first, left < pool.grain ? left : pool.grain);
    }
    within = before;
}

/* Lives as long as the process. */
static void *helper(void *unused)
{
    pthread_mutex_lock(&pool.mutex);
    int number = pool.helpers++;
    uint64_t seen = pool.round;
    pthread_cond_signal(&pool.done); /* it counts from here on */
    for (;;) {
        while (pool.round == seen)
            pthread_cond_wait(&pool.start, &pool.mutex);
        seen = pool.round;
        if (number >= pool.wanted)
            continue;
        pthread_mutex_unlock(&pool.mutex);
        take_ranges();
        pthread_mutex_lock(&pool.mutex);
        if (--pool.busy == 0)
            pthread_cond_signal(&pool.done);
    }
    return unused;
}

/* Have so many helpers, or as many as the system grants. The mutex is held. */
static void grow(int wanted)
{
    while (pool.helpers < wanted) {
        pthread_t thread;
        int before = pool.helpers;
        if (pthread_create(&thread, NULL, helper, NULL) != 0)
            return;
        pthread_detach(thread);
        while (pool.helpers == before)
            pthread_cond_wait(&pool.done, &pool.mutex);
    }
}

void pool_run(int threads, uint64_t count, uint64_t grain, pool_body body, void *context)
{
    grain = grain ? grain : 1;
    uint64_t ranges = count / grain + (count % grain > 0), range = 0;
    /* Another caller may have the helpers for a moment. */
    while (range < ranges &&
           (ranges - range == 1 || threads <= 1 || within || pthread_mutex_trylock(&pool.caller) != 0)) {
        uint64_t first = range++ * grain;
        body(context, first, count - first < grain ? count - first : grain);
    }
    if (range == ranges)
        return;
    pthread_mutex_lock(&pool.mutex);
    grow(threads - 1);
    pool.body = body;
    pool.context = context;
    pool.count = count;
    pool.grain = grain;
    atomic_store_explicit(&pool.next, range, memory_order_relaxed);
    pool.wanted = threads - 1;
    pool.busy = pool.helpers < pool.wanted ? pool.helpers : pool.wanted;
    pool.round++;
    pthread_cond_broadcast(&pool.start);
    pthread_mutex_unlock(&pool.mutex);
    take_ranges();
    pthread_mutex_lock(&pool.mutex);
    while (pool.busy)
        pthread_cond_wait(&pool.done, &pool.mutex);
    pthread_mutex_unlock(&pool.mutex);
    pthread_mutex_unlock(&pool.caller);
}
