/* fake_cuda.h - a CUDA runtime with one device, which runs at once what is queued. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

/* What a launch queues: nodes of a graph while the stream is captured, else work that takes its time. */
enum fake_node {
    FAKE_KERNEL,
    FAKE_COPY,
    FAKE_ALLOCATION,
    FAKE_FREE,
    FAKE_CHILD /* a graph of two kernels */
};
cudaError_t fake_queue(enum fake_node node);

/* As a call that waits, or leaves work on another stream. */
cudaError_t fake_wait(void);
void fake_leave_unjoined(void);

extern struct fake_cuda {
    double now;          /* device time, seconds */
    double reached;      /* events up to this device time have ended, if they are asked for */
    int events;          /* alive */
    double node_seconds; /* of each node */
    uint64_t free_bytes;
    uint64_t zeroed;         /* bytes set by cudaMemsetAsync so far */
    bool lost;               /* every call fails from now on */
    bool no_graphs;          /* graphs cannot be instantiated */
    int graphs, executables; /* alive */
    int allocations;         /* alive */
    int streams;             /* alive, besides the first */
    const void *copied_from; /* by the last copy within the device or to it */
    int behind_gate;         /* nodes queued directly behind a closed gate */
    volatile uint32_t *gate; /* of the timer: open once it holds `ticket` */
    uint32_t ticket;
} fake;
