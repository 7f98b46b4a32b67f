#include "base/bounded_queue.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/thread.h"

enum { BLOCKS = 3 }; /* one is filled, one taken, one waits */

struct bounded_queue {
    int (*take)(void *of, void *block, size_t items);
    void *of;
    char *block[BLOCKS];
    size_t items[BLOCKS];
    size_t sent, taken; /* blocks; in block[number % BLOCKS] */
    bool threaded, over;
    int result;
    pthread_t thread;
    pthread_mutex_t lock; /* of sent, taken, over and result */
    pthread_cond_t moved;
};

static void take_next(struct bounded_queue *c)
{
    size_t at = c->taken % BLOCKS;
    int result = c->take(c->of, c->block[at], c->items[at]);
    pthread_mutex_lock(&c->lock);
    c->result = result;
    c->taken++;
    pthread_cond_signal(&c->moved);
    pthread_mutex_unlock(&c->lock);
}

static void *work(void *argument)
{
    struct bounded_queue *c = argument;
    for (bool more = true; more;) {
        pthread_mutex_lock(&c->lock);
        while (c->sent == c->taken && !c->over)
            pthread_cond_wait(&c->moved, &c->lock);
        more = c->sent > c->taken && !c->result;
        pthread_mutex_unlock(&c->lock);
        if (more)
            take_next(c);
    }
    return NULL;
}

struct bounded_queue *bounded_queue_start(size_t block_bytes,
                                          int (*take)(void *of, void *block, size_t items), void *of)
{
    struct bounded_queue *c = memory_new(1, sizeof *c);
    c->take = take;
    c->of = of;
    for (int i = 0; i < BLOCKS; i++)
        c->block[i] = memory_new(block_bytes, 1);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->moved, NULL);
    return c;
}

void *bounded_queue_block(struct bounded_queue *c)
{
    pthread_mutex_lock(&c->lock);
    while (c->sent - c->taken == BLOCKS && !c->result)
        pthread_cond_wait(&c->moved, &c->lock);
    bool ended = c->result != 0;
    pthread_mutex_unlock(&c->lock);
    return ended ? NULL : c->block[c->sent % BLOCKS];
}

void bounded_queue_send(struct bounded_queue *c, size_t items)
{
    c->items[c->sent % BLOCKS] = items;
    pthread_mutex_lock(&c->lock);
    c->sent++;
    pthread_cond_signal(&c->moved);
    pthread_mutex_unlock(&c->lock);
    if (c->sent == 2) /* a single block is not worth a thread */
        c->threaded = thread_start(&c->thread, work, c) == 0;
    while (!c->threaded && c->sent > 1 && c->taken < c->sent && !c->result)
        take_next(c);
}

int bounded_queue_end(struct bounded_queue *c)
{
    pthread_mutex_lock(&c->lock);
    c->over = true;
    pthread_cond_signal(&c->moved);
    pthread_mutex_unlock(&c->lock);
    if (c->threaded)
        pthread_join(c->thread, NULL);
    else if (c->taken < c->sent && !c->result)
        take_next(c);
    int result = c->result;
    for (int i = 0; i < BLOCKS; i++)
        free(c->block[i]);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->moved);
    free(c);
    return result;
}
