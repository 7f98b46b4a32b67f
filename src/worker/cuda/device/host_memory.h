/* host_memory.h - a cache of host buffers: touching and pinning a page takes longer than filling it.
 *
 * Kinds are pageable, pinned and write-combined, on any or on one NUMA node. It keeps as many buffers as two points use at once.
 * Not thread-safe. */
#pragma once

#include "family/family.h"

/* Memory for a buffer on the host, of its kind, aligned to a page. Ends the point if there is none. */
char *host_memory_take(const struct buffer *buffer);

/* The same; NULL if there is not enough memory. */
char *host_memory_try(const struct buffer *buffer);

/* Return a buffer to the cache. May be NULL. */
void host_memory_put(char *at);

/* Free all buffers that are not in use. */
void host_memory_release(void);
