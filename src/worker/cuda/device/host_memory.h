/* host_memory.h - buffers in host memory, kept from point to point: touching and pinning a page takes longer than filling it.
 *
 * Kept are as many as a point had at once, two of each kind, the largest. One thread at a time. */
#ifndef WORKER_CUDA_DEVICE_HOST_MEMORY_H
#define WORKER_CUDA_DEVICE_HOST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* `bytes` of pinned, or pageable, memory on a page of its own: one that was kept, or new. Ends the point when there is none. */
char *host_memory_take(uint64_t bytes, bool pageable);

/* The same; NULL when there is none. */
char *host_memory_try(uint64_t bytes, bool pageable);

/* It is not needed any more. NULL is fine. */
void host_memory_put(char *block, bool pageable);

/* Give all that nobody has taken back to the system. */
void host_memory_release(void);

#endif
