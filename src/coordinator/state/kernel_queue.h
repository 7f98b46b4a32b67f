/* kernel_queue.h - which rank compiles which kernels before measuring. No MPI.
 *
 * Ranks that share a cache folder and have devices of the same capability share a list; each of its kernels is compiled
 * once. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "coordinator/state/run_plan.h"
#include "coordinator/state/team.h"

struct kernel_queue; /* opaque */

struct kernel_queue *kernel_queue_new(const struct run_plan *plan, const struct team *team);
void kernel_queue_free(struct kernel_queue *queue);

/* The next batch of a rank: indices into the grid. Returns their number; 0: nothing left. */
int kernel_queue_take(struct kernel_queue *queue, int rank, uint32_t out[MESSAGE_COMPILE_MAX]);

size_t kernel_queue_count(const struct kernel_queue *queue); /* over all cache folders */
