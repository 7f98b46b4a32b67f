/* node.h - the machine around a device, as an appendix on artifacts names it. */
#pragma once

#include <stddef.h>

#include "core/device.h"

/* Fill the columns host_cpu to host_threads. What cannot be read stays missing. `root` comes before /proc,
 * /sys and /etc: "" but in tests. */
void node_describe(const char *root, struct device *device);

/* The model of the processors; nothing if the kernel does not tell. */
void node_processor(const char *root, char *out, size_t size);
