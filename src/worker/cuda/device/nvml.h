/* nvml.h - what NVML tells of the board: clocks' limits, temperature, power. Optional: the library
 * belongs to the driver, is looked for at run time, and whatever it does not tell stays unknown. Only reads.
 */
#ifndef WORKER_CUDA_DEVICE_NVML_H
#define WORKER_CUDA_DEVICE_NVML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nvml; /* opaque */

/* The device at a PCI address ("00000000:1b:00.0"); NULL when there is no NVML or it does not know the
 * device. nvml_close releases it. */
struct nvml *nvml_open(const char *pci_address);
void nvml_close(struct nvml *nvml);

void nvml_driver_version(struct nvml *nvml, char *out, size_t size); /* "" when unknown */

struct nvml_state {
    uint64_t reasons;          /* clock-event reasons, NVML's bits; 0 when unknown */
    double temperature, power; /* degrees C, W; NaN when unknown */
};

/* Clock-event reasons alone: cheap enough to ask while samples run. */
uint64_t nvml_reasons(struct nvml *nvml);
struct nvml_state nvml_read(struct nvml *nvml);

#endif
