/* host_stream.h - moving through large arrays on all threads: peaks, cache flushes and the memcpy baseline.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/device.h"
#include "worker/pool.h"

/* Zeroed pages, huge ones where the kernel gives them; NULL when it gives none. host_pages_free takes NULL
 * too. */
void *host_pages_new(size_t bytes);
void host_pages_free(void *pages, size_t bytes);

void host_stream_copy(struct pool *pool, void *to, const void *from, uint64_t bytes);
void host_stream_write(struct pool *pool, void *to, int byte, uint64_t bytes);
void host_stream_read(struct pool *pool, const void *from, uint64_t bytes); /* whole cache lines */

/* How many bytes of last-level cache to reckon with: the device's, or a plentiful guess when that is unknown.
 */
uint64_t host_cache_bytes(const struct device *device);

/* Measure peak_copy, peak_read, peak_write, peak_l2_read and launch_floor (waking the pool's threads for
 * nothing). What has no meaning here, or finds no memory, stays NaN. */
void host_stream_peaks(struct pool *pool, struct device *device);
