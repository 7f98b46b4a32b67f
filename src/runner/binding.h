/* binding.h - which CPUs a rank's worker may use.
 *
 * mpirun binds a rank to one core, and a child inherits that; compiling and the host back end would crawl. So
 * each worker gets its share of the CPUs that the job was given: of those next to its GPU, or of all of them.
 */
#ifndef RUNNER_BINDING_H
#define RUNNER_BINDING_H

#include <hwloc.h>

#include "protocol/config.h"

/* Set config->cpus and config->threads for share number `share` of `shares` that have to get along with each
 * other. `pci` is the address of the device, or empty. With `shares` 0, or when the machine cannot be looked
 * at, the affinity stays as it is, with one thread. */
void binding_choose(const char *pci, int share, int shares, struct config *config);

/* The CPUs of share number `share` of `shares` among `set`: whole cores while there are enough, then hardware
 * threads, then (more shares than those) one that others have too. Caller frees with hwloc_bitmap_free. */
hwloc_bitmap_t binding_slice(hwloc_topology_t topology, hwloc_const_bitmap_t set, int share, int shares);

#endif
