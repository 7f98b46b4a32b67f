/* bounded_queue.h - blocks of bytes, filled by one thread and taken by another in the same order, at the same time. */
#pragma once

#include <stddef.h>

struct bounded_queue; /* opaque */

/* `take` is called for each block that is sent, one at a time, in another thread (in the sender's for a single block, and
 * where no thread can be started): only it may use `of` until bounded_queue_end. A result other than 0 ends the queue. Signals
 * are not delivered to the thread. */
struct bounded_queue *bounded_queue_start(size_t block_bytes,
                                          int (*take)(void *of, void *block, size_t items), void *of);

/* The block to fill next (zeros at first); waits until one is free. NULL when the queue has ended. */
void *bounded_queue_block(struct bounded_queue *queue);

/* Send that block, with so many items in it. */
void bounded_queue_send(struct bounded_queue *queue, size_t items);

/* Wait until all are taken and release everything: the result that ended the queue, or 0. */
int bounded_queue_end(struct bounded_queue *queue);
