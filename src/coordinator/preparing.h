/* preparing.h - the phases before measuring: measure the peaks of the devices, compile kernels into the cache. */
#pragma once

#include "coordinator/state/context.h"
#include "coordinator/state/kernel_queue.h"

struct preparing {
    struct kernel_queue *queue; /* NULL: nothing to compile ahead */
    int busy;                   /* ranks that are compiling */
};

/* Characterise the devices. On a node whose ranks have a device each: all at once, then their host links one after another.
 * If the ranks share the processor and memory of the node: one after another. */
void preparing_characterise(struct coordinator_context *context);
void preparing_take_device(struct coordinator_context *context, int rank, struct wire_reader *payload);

/* Compile kernels; `cached`: there is a cache folder to keep them. */
void preparing_compile(struct preparing *preparing, struct coordinator_context *context, bool cached);
void preparing_take_compiled(struct preparing *preparing, struct coordinator_context *context, int rank,
                             struct wire_reader *payload);
bool preparing_is_compiled(const struct preparing *preparing);

/* A rank is lost in either phase: stop waiting for it. */
void preparing_lose(struct preparing *preparing, struct coordinator_context *context, int rank);

void preparing_end(struct preparing *preparing);
