/* mpi_job.h - the MPI job of a point (ENGINE_MPI): a process for each device, which owns the buffers and calls MPI.
 *
 * The worker is no process of it, so that a crash or a hang in MPI takes the point alone. It starts the job by mpirun, fills and
 * compares the buffers, which the processes share with it, and asks for launches. Each process has a socket to the worker and ends
 * when that closes, however the worker ends (program/main.c). The job is on this node. */
#pragma once

#include <stdbool.h>

#include "worker/mpi/mpi_message.h"

struct mpi_job;

/* Start the job of a point with this setup, and wait until MPI is initialised. `ordinal`: the device of each process on this node;
 * NULL: buffers are in memory of the host. NULL with the reason, a sentence without a full stop; `*unsupported`: there is no MPI, or
 * it cannot do this. */
struct mpi_job *mpi_job_open(const struct setup *setup, const int *ordinal, bool *unsupported, char *reason,
                             size_t size);
void mpi_job_close(struct mpi_job *job); /* its memory must be unmapped; NULL: nothing */

int mpi_job_processes(const struct mpi_job *job);
const char *mpi_job_library(const struct mpi_job *job); /* "Open MPI v4.1.4" */
int mpi_job_version(const struct mpi_job *job);         /* major * 10000 + minor * 100 + patch; 0: unknown */

/* Memory of a process, in place of what it had, which must be unmapped. On the host `*fd` is a descriptor that the caller closes; on a
 * device `handle` is a cudaIpcMemHandle_t. 0, or -1 with the reason. */
int mpi_job_allocate(struct mpi_job *job, int seat, uint64_t bytes, int *fd,
                     unsigned char handle[MPI_HANDLE_SIZE], char *reason, size_t size);

/* Where the launches find the buffers: `offset` of each from the start of its process' memory, in `sets` sets that are `set_bytes`
 * apart. */
void mpi_job_place(struct mpi_job *job, const uint64_t *offset, uint64_t set_bytes, uint32_t sets);

/* All processes meet in a barrier, and each launches so many times, on set `first` and those after it, round and round. `*seconds`: from
 * the first one's begin to the last one's end. What was queued on the devices before must have ended. 0, or -1 with the reason; then the
 * job is of no more use. */
int mpi_job_run(struct mpi_job *job, uint32_t first, uint32_t launches, double *seconds, char *reason,
                size_t size);
