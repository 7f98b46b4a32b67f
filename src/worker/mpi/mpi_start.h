/* mpi_start.h - starts the program of an MPI job under mpirun. */
#pragma once

#include "process/process.h"
#include "process/scratch.h"

/* Start `processes` of warpsweep-mpi-process, which connect to the socket of that name. What the job prints comes through
 * process->errors. mpirun ends the job and itself when process->to closes, however this process ends. WARPSWEEP_MPIRUN in the environment
 * replaces the word mpirun. `scratch` is the job's temporary folder, which the caller removes after its end. */
int mpi_start(struct process *process, int processes, const char *socket, struct scratch *scratch,
              struct error *error);
