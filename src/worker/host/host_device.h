/* host_device.h - the processor and its memory, described as the device that the host back end measures on.
 */
#pragma once

#include <stdint.h>

#include "core/device.h"

/* What is known without measuring. `multiprocessors` is the number of CPUs this process may run on,
 * `l2_bytes` all last-level caches of those CPUs together. */
struct device host_device(void);

/* Bytes that this process could still allocate: what the kernel says is available, within the memory limits
 * of its control groups. UINT64_MAX when nothing tells. */
uint64_t host_memory_available(void);
