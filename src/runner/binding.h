/* binding.h - choose the CPUs of a worker.
 *
 * mpirun binds a rank to one core, which its children inherit. That is too little for compiling and for the
 * host back end. So each worker gets a share of the CPUs of the job: of those near its GPU, or of all. */
#pragma once

#include <hwloc.h>
#include <stdint.h>

#include "protocol/config.h"

/* Set config->cpus and config->threads for the share in config->place. `pci`: address of the device, or
 * empty. Without a share, or if the topology is unknown, keep the affinity and use one thread. */
void binding_choose(const char *pci, struct config *config);

/* A number that is equal for ranks of a node that may use the same CPUs, and so have to divide them; 0 if
 * that is unknown. srun may have bound each rank to CPUs of its own. */
uint64_t binding_cpus(void);

/* The CPUs of share number `share` of `shares` of `set`: whole cores if there are enough, else hardware
 * threads, else one thread that several shares have. The caller frees it with hwloc_bitmap_free. */
hwloc_bitmap_t binding_slice(hwloc_topology_t topology, hwloc_const_bitmap_t set, int share, int shares);
