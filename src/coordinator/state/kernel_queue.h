/* kernel_queue.h - which kernels have to be compiled before measuring starts, and who compiles them. Pure: no
 * MPI.
 *
 * Ranks that share a cache folder and have like devices share a list; each kernel on it is compiled once. */
#ifndef COORDINATOR_STATE_KERNEL_QUEUE_H
#define COORDINATOR_STATE_KERNEL_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "coordinator/state/run_plan.h"
#include "coordinator/state/team.h"

struct compiling; /* opaque */

struct compiling *compiling_new(const struct agenda *agenda, const struct team *team);
void compiling_free(struct compiling *compiling);

/* The next batch for a rank: indices into the grid; returns how many, 0 when there is nothing left for it. */
int compiling_take(struct compiling *compiling, int rank, uint32_t out[MESSAGE_COMPILE_MOST]);

size_t compiling_kernels(const struct compiling *compiling); /* over all cache folders */

#endif
