/* operations.h - MPI, as a process of an MPI job uses it. */
#pragma once

#include "worker/mpi/mpi_message.h"

/* Initialise MPI, and make a communicator in which this process has the rank of its seat. Fills outcome, library, version and reason of
 * the answer. */
void operations_open(const struct mpi_request *begin, struct mpi_answer *answer);

/* MPI_JOB_RUN on the memory at `memory`: fills outcome, begin, end and reason. */
void operations_run(const struct mpi_request *run, char *memory, struct mpi_answer *answer);

void operations_close(void);
