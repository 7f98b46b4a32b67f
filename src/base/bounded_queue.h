/* bounded_queue.h - blocks of bytes that one thread fills and another one consumes, in order and at the same time. */
#ifndef BASE_BOUNDED_QUEUE_H
#define BASE_BOUNDED_QUEUE_H

#include <stddef.h>

struct conveyor; /* opaque */

/* `take` consumes one block at a time in another thread; in the sender's if there is a single block, or no thread can be
 * created. Until conveyor_end only `take` may access what `of` points to. Its first result other than 0 stops the queue.
 * The thread has all signals blocked. */
struct conveyor *conveyor_start(size_t block_bytes, int (*take)(void *of, void *block, size_t items),
                                void *of);

/* The block to fill next, zeroed at its first use. Waits until one is free. NULL if `take` has failed. */
void *conveyor_block(struct conveyor *conveyor);

/* Queue that block, with so many items in it. */
void conveyor_send(struct conveyor *conveyor, size_t items);

/* Wait until all blocks are consumed and release everything. Returns the last result of `take`, or 0. */
int conveyor_end(struct conveyor *conveyor);

#endif
