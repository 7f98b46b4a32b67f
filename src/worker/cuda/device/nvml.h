/* nvml.h - firmware, modes, limits, clock-event reasons, temperature and power of the board, from NVML. The
 * library belongs to the driver, is loaded at run time, and is optional: without it the values are unknown.
 * Only reads. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/device.h"

struct nvml; /* opaque */

/* Open the device at a PCI address ("00000000:1b:00.0"); NULL without NVML, or if NVML does not have the
 * device. nvml_close releases it. */
struct nvml *nvml_open(const char *pci_address);
void nvml_close(struct nvml *nvml);

/* Fill driver, vbios, board_part, ecc, mig, fabric, bar1_bytes, nvlinks, link_nominal, power limits and
 * application clocks. What the driver does not tell, as of a part of a GPU (MIG) or without permission, stays
 * missing. NVML has no reading of locked clocks. */
void nvml_describe(struct nvml *nvml, struct device *device);

/* Fill what idle boards reduce, and is to be read right after a load: memory_clock_load, pcie_generation,
 * pcie_width. */
void nvml_describe_load(struct nvml *nvml, struct device *device);

struct nvml_state {
    double temperature, power; /* degrees C, W; NaN when unknown */
};

/* The clock-event reasons, NVML's bits; 0 when unknown. Any thread may ask. */
bool nvml_has_reasons(const struct nvml *nvml);
uint64_t nvml_reasons(struct nvml *nvml);
struct nvml_state nvml_read(struct nvml *nvml);

/* The numbers of up to NVML_PROCESSES_MAX processes that compute on the device. How many; -1: unknown. In a
 * container, NVML may list none, or numbers that are not those of /proc. */
enum { NVML_PROCESSES_MAX = 64 };
int nvml_processes(struct nvml *nvml, unsigned *id);

/* The board's energy counter in J, since the driver was loaded; it is updated some ten times a second, and
 * reading it may take milliseconds. The power in W, and the s of the past that it is the mean of. The SM
 * clock in Hz. NaN when unknown. */
double nvml_joules(struct nvml *nvml);
double nvml_watts(struct nvml *nvml, double *lag);
double nvml_sm_clock(struct nvml *nvml);

/* Bytes over all NVLinks of the device since the driver was loaded, in steps of 1 KiB per link: payload, and
 * all that was on the wire (raw). NaN when unknown. */
struct nvml_traffic {
    double sent, received, raw_sent, raw_received;
};
struct nvml_traffic nvml_link_traffic(struct nvml *nvml);
