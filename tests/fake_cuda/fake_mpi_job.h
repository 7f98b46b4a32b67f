/* fake_mpi_job.h - an MPI job without processes: it remembers what it was asked for. */
#pragma once

#include "worker/mpi/mpi_job.h"

extern struct fake_mpi_job {
    const char *reason; /* why it does not open; NULL: it does */
    bool unsupported;
    const char *breaks; /* why launches fail; NULL: they do not */
    double seconds;     /* of a launch */
    int opened, closed, runs;
    int ordinal[2], imported[2]; /* of each process: device, times that its memory was allocated */
    uint64_t bytes;
    uint32_t sets, first, launches; /* of the last run */
} fake_job;
