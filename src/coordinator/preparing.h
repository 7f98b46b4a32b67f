/* preparing.h - what comes before measuring: the devices' peaks, and kernels into the cache. */
#ifndef COORDINATOR_PREPARING_H
#define COORDINATOR_PREPARING_H

#include "coordinator/state/context.h"
#include "coordinator/state/kernel_queue.h"

struct preparing {
    struct kernel_queue *queue; /* NULL: nothing to compile ahead */
    int busy;                   /* ranks that compile */
};

/* The devices are characterised: on a node whose ranks have a device each, all at once, and then their links to the host one
 * after another; where ranks share the node's processor and memory, one rank after another. */
void preparing_characterise(struct coordinator_context *context);
void preparing_take_device(struct coordinator_context *context, int rank, struct wire_reader *payload);

/* Then kernels are compiled; `cached`: there is a cache that keeps them. */
void preparing_compile(struct preparing *preparing, struct coordinator_context *context, bool cached);
void preparing_take_compiled(struct preparing *preparing, struct coordinator_context *context, int rank,
                             struct wire_reader *payload);
bool preparing_is_compiled(const struct preparing *preparing);

/* A rank is lost, in either phase: what it was at is not waited for. */
void preparing_lose(struct preparing *preparing, struct coordinator_context *context, int rank);

void preparing_end(struct preparing *preparing);

#endif
