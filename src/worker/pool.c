#include "worker/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

struct pool {
    pthread_t *thread; /* the helpers: all but the caller */
    int helpers;

    pthread_mutex_t mutex;
    pthread_cond_t start, done;
    uint64_t round; /* grows by one per pool_do: what helpers wait for */
    int busy;       /* helpers that have not finished the current round */
    bool quit;

    /* The current round: written under the mutex before `round` grows, read only until `busy` is 0. */
    pool_body body;
    void *context;
    uint64_t count, grain;
    _Atomic uint64_t next; /* the next range to hand out */
};

static _Thread_local bool within; /* in a parallel body: all threads are busy */

static void take_ranges(struct pool *pool)
{
    uint64_t ranges = (pool->count - 1) / pool->grain + 1;
    bool before = within;
    within = true;
    for (;;) {
        uint64_t range = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (range >= ranges)
            break;
        uint64_t first = range * pool->grain, left = pool->count - first;
        pool->body(pool->context, first, left < pool->grain ? left : pool->grain);
    }
    within = before;
}

static void *helper(void *argument)
{
    struct pool *pool = argument;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (pool->round == seen && !pool->quit)
            pthread_cond_wait(&pool->start, &pool->mutex);
        if (pool->quit)
            break;
        seen = pool->round;
        pthread_mutex_unlock(&pool->mutex);
        take_ranges(pool);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

static struct pool *pool_new(int threads)
{
    struct pool *pool = memory_new(1, sizeof *pool);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->start, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->thread = memory_new((size_t)threads - 1, sizeof *pool->thread);
    while (pool->helpers < threads - 1 && !pthread_create(&pool->thread[pool->helpers], NULL, helper, pool))
        pool->helpers++;
    return pool;
}

static void pool_free(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->quit = true;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->helpers; i++)
        pthread_join(pool->thread[i], NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->start);
    pthread_mutex_destroy(&pool->mutex);
    free(pool->thread);
    free(pool);
}

static void pool_do(struct pool *pool, uint64_t count, uint64_t grain, pool_body body, void *context)
{
    pthread_mutex_lock(&pool->mutex);
    pool->body = body;
    pool->context = context;
    pool->count = count;
    pool->grain = grain;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    pool->busy = pool->helpers;
    pool->round++;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->mutex);
    take_ranges(pool);
    pthread_mutex_lock(&pool->mutex);
    while (pool->busy)
        pthread_cond_wait(&pool->done, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}

/* Two pools: the verification of a point can use one while references of later points use the other. */
enum { SHARED_POOLS = 2 };

static struct shared_pool {
    pthread_mutex_t mutex; /* held by the caller whose ranges run */
    struct pool *pool;
    int wanted; /* threads requested of it */
} shared[SHARED_POOLS] = {{.mutex = PTHREAD_MUTEX_INITIALIZER}, {.mutex = PTHREAD_MUTEX_INITIALIZER}};

/* Lock a free pool for the caller; NULL if there is none. */
static struct shared_pool *take_shared(void)
{
    for (int i = 0; i < SHARED_POOLS; i++)
        if (pthread_mutex_trylock(&shared[i].mutex) == 0)
            return &shared[i];
    return NULL;
}

static void run_alone(uint64_t count, uint64_t grain, pool_body body, void *context)
{
    for (uint64_t first = 0; first < count; first += grain)
        body(context, first, count - first < grain ? count - first : grain);
}

void pool_run(int threads, uint64_t count, uint64_t grain, pool_body body, void *context)
{
    if (!grain)
        grain = 1;
    struct shared_pool *mine = count <= grain || threads <= 1 || within ? NULL : take_shared();
    if (!mine) {
        run_alone(count, grain, body, context);
        return;
    }
    if (mine->wanted != threads) {
        pool_free(mine->pool);
        mine->pool = pool_new(threads);
        mine->wanted = threads;
    }
    pool_do(mine->pool, count, grain, body, context);
    pthread_mutex_unlock(&mine->mutex);
}
