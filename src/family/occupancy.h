/* occupancy.h - how many blocks of a compiled kernel a multiprocessor holds, without the driver. */
#ifndef FAMILY_OCCUPANCY_H
#define FAMILY_OCCUPANCY_H

/* Of a multiprocessor, on all architectures from 8.0 on so far, at most: */
enum {
    OCCUPANCY_BLOCKS_MAX = 32, /* resident blocks */
    OCCUPANCY_RESERVED = 1024,  /* bytes of shared memory that the system takes from each block */
};

/* What compiled code asks of a multiprocessor. */
struct code_needs {
    int registers;     /* of a thread; 0: not known */
    int shared_static; /* bytes of a block */
};

/* Blocks of so many threads and bytes of dynamic shared memory that a multiprocessor with that much room holds at once; NaN
 * where the registers are not known. As the driver's occupancy calculator has it, for compute capabilities from 8.0 on: a warp
 * gets whole units of 256 of the 16384 registers of its quarter, a block whole units of 128 bytes of shared memory, 1 KiB more
 * than it asks for (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; "Shared Memory"). */
double occupancy_blocks(const struct code_needs *needs, double threads, double shared_dynamic,
                        double threads_sm, double shared_sm);

#endif
