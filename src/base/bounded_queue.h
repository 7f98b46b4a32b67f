/* bounded_queue.h - blocks of bytes that one thread fills and another one takes, in order, so that both work at the same
 * time. */
#ifndef BASE_BOUNDED_QUEUE_H
#define BASE_BOUNDED_QUEUE_H

#include <stddef.h>

struct conveyor; /* opaque */

/* `take` is called for each block that is sent, one at a time and in another thread (in the sender's for a single block, and where
 * there can be no other): it alone may touch what `of` points to until conveyor_end. Other than 0 ends the taking. Signals stay with the
 * threads that are there. */
struct conveyor *conveyor_start(size_t block_bytes, int (*take)(void *of, void *block, size_t items),
                                void *of);

/* The block to fill next, all 0 the first times: waits for one that has been taken. NULL when the taking has ended. */
void *conveyor_block(struct conveyor *conveyor);

/* Hand over that block, with so many items in it. */
void conveyor_send(struct conveyor *conveyor, size_t items);

/* Wait for all to be taken and release everything: what `take` ended with, or 0. */
int conveyor_end(struct conveyor *conveyor);

#endif
