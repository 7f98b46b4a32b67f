/* mpi_start.h - starts the program of an MPI job under mpirun. */
#pragma once

#include "process/process.h"

/* Start `processes` of warpsweep-mpi-process, which connect to the socket of that name. What the job prints comes through
 * process->errors. mpirun survives a SIGKILL of this process, to clean up once its processes have ended. */
int mpi_start(struct process *process, int processes, const char *socket, struct error *error);
