/* host_memory.h - a cache of host buffers: touching and pinning a page takes longer than filling it.
 *
 * It keeps the two largest buffers of each kind, as many as a point uses at once. Not thread-safe. */
#ifndef WORKER_CUDA_DEVICE_HOST_MEMORY_H
#define WORKER_CUDA_DEVICE_HOST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* `bytes` of pinned or pageable memory, aligned to a page. Ends the point if there is not enough memory. */
char *host_memory_take(uint64_t bytes, bool pageable);

/* The same; NULL if there is not enough memory. */
char *host_memory_try(uint64_t bytes, bool pageable);

/* Return a buffer to the cache. May be NULL. */
void host_memory_put(char *block, bool pageable);

/* Free all buffers that are not in use. */
void host_memory_release(void);

#endif
