/* occupancy.h - what limits the resident blocks of a multiprocessor, and what a compiled kernel takes of it. */
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
