/* fake_driver.h - the driver's functions for memory that processes share, with shared memory of the system in place of a device's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define FAKE_GRANULE (UINT64_C(64) << 10) /* bytes that an allocation is a multiple of */

extern struct fake_driver {
    const char *missing; /* a function that this driver lacks, or NULL */
    bool no_access;      /* the device cannot reach the memory of others */
    uint64_t free_bytes;
    int allocations, reserved, mapped; /* alive */
} fake_driver;
