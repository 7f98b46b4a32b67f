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

struct kernel_queue; /* opaque */

struct kernel_queue *kernel_queue_new(const struct run_plan *plan, const struct team *team);
void kernel_queue_free(struct kernel_queue *queue);

/* The next batch for a rank: indices into the grid; returns how many, 0 when there is nothing left for it. */
int kernel_queue_take(struct kernel_queue *queue, int rank, uint32_t out[MESSAGE_COMPILE_MAX]);

size_t kernel_queue_count(const struct kernel_queue *queue); /* over all cache folders */

#endif
