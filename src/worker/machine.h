/* machine.h - the node around a device: its state from /proc and /sys, the CPUs of this process, memory on a
 * NUMA node. */
#pragma once

#include "core/device.h"
#include "family/family.h"

/* Fill the columns of the node, transparent_hugepages, hugepages and, if device->pci is known, iommu and
 * numa_node. What cannot be read stays missing. `root` comes before /proc and /sys: "" but in tests. */
void machine_describe(const char *root, struct device *device);

/* Bind the calling thread and all threads that it starts later to the CPUs of `list` ("0-7,16"). An empty
 * list changes nothing. -1 if the list is malformed or the system refuses. */
int affinity_bind(const char *list, struct error *error);

/* Pages on a node, zeroed, and checked to be there; release them with munmap. NULL with an error. */
void *numa_pages_new(size_t bytes, int node, struct error *error);

/* Can all buffers of the point lie on their nodes? -1 with an error: there is no such node, or it is not
 * allowed. */
int numa_check(const struct setup *setup, struct error *error);
