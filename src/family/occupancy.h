/* occupancy.h - resident blocks per multiprocessor of a compiled kernel, computed without the driver. */
#pragma once

/* Limits of all compute capabilities from 8.0 on. */
enum {
    OCCUPANCY_BLOCKS_MAX = 32, /* resident blocks per multiprocessor */
    OCCUPANCY_RESERVED = 1024, /* bytes of shared memory that the system uses in each block */
};

/* Resources of a compiled kernel. */
struct code_needs {
    int registers;     /* per thread; 0: unknown */
    int shared_static; /* bytes per block */
};

/* Resident blocks of `threads` threads and `shared_dynamic` bytes on a multiprocessor that has `threads_sm` threads and
 * `shared_sm` bytes of shared memory; NaN if the registers are unknown. Rules of the driver's occupancy calculator for compute
 * capabilities from 8.0 on: registers are allocated to a warp in units of 256, out of 16384 per quarter of the multiprocessor;
 * shared memory to a block in units of 128 bytes, plus 1 KiB that the system takes (CUDA C++ Programming Guide, "Technical
 * Specifications per Compute Capability", "Shared Memory"). */
double occupancy_blocks(const struct code_needs *needs, double threads, double shared_dynamic,
                        double threads_sm, double shared_sm);
