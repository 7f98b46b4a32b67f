/* machine.h - the state of the node around a device, from /proc and /sys: kernel, huge pages, IOMMU, NUMA node. */
#pragma once

#include "core/device.h"

/* Fill host_kernel, transparent_hugepages, hugepages and, if device->pci is known, iommu and numa_node. What cannot be read stays
 * missing. `root` comes before /proc and /sys: "" but in tests. */
void machine_describe(const char *root, struct device *device);

/* Fabric handles need an IMEX channel, a character device that the user can open. NULL: there is one; otherwise why not. */
const char *machine_imex(const char *root);
