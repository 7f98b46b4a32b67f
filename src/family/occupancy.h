/* occupancy.h - limits of the resident blocks of a multiprocessor, and what a compiled kernel needs. */
#pragma once

enum {
    OCCUPANCY_RESERVED =
        1024 /* bytes of shared memory that the system uses in each block, from capability 8.0 on */
};

/* Resident blocks per multiprocessor (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"): 32 of 8.0, 9.0
 * and 10.x, 16 of 8.6 and 8.7, 24 of 8.9, 11.0 and 12.x. `capability`: major * 10 + minor; 0: unknown, taken as 9.0. */
int occupancy_blocks_max(int capability);

/* Resources of a compiled kernel. */
struct code_needs {
    int registers;     /* per thread; 0: unknown */
    int shared_static; /* bytes per block */
};
