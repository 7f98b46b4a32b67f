#include "fake_mpi_job.h"

#include <stdio.h>
#include <string.h>

struct fake_mpi_job fake_job;

static char memory[2]; /* stand for the processes' memory */

struct mpi_job *mpi_job_open(const struct setup *setup, const int *ordinal, bool *unsupported, char *reason,
                             size_t size)
{
    fake_job.opened += !fake_job.reason;
    *unsupported = fake_job.unsupported;
    for (int d = 0; d < setup_devices(setup); d++)
        fake_job.ordinal[d] = ordinal[d];
    snprintf(reason, size, "%s", fake_job.reason ? fake_job.reason : "");
    return fake_job.reason ? NULL : (struct mpi_job *)&fake_job;
}

void mpi_job_close(struct mpi_job *job)
{
    fake_job.closed += job != NULL;
}

int mpi_job_processes(const struct mpi_job *job)
{
    (void)job;
    return 2;
}

const char *mpi_job_library(const struct mpi_job *job)
{
    (void)job;
    return "An MPI v1.2.3";
}

int mpi_job_version(const struct mpi_job *job)
{
    (void)job;
    return 10203;
}

/* The handle is the address. */
int mpi_job_allocate(struct mpi_job *job, int seat, uint64_t bytes, int *fd,
                     unsigned char handle[MPI_HANDLE_SIZE], char *reason, size_t size)
{
    char *at = &memory[seat];
    (void)job, (void)reason, (void)size;
    fake_job.bytes = bytes;
    fake_job.imported[seat]++;
    *fd = -1;
    memcpy(handle, &at, sizeof at);
    return 0;
}

void mpi_job_place(struct mpi_job *job, const uint64_t *offset, uint64_t set_bytes, uint32_t sets)
{
    (void)job, (void)offset, (void)set_bytes;
    fake_job.sets = sets;
}

int mpi_job_run(struct mpi_job *job, uint32_t first, uint32_t launches, double *seconds, char *reason,
                size_t size)
{
    (void)job;
    fake_job.runs++;
    fake_job.first = first;
    fake_job.launches = launches;
    *seconds = fake_job.seconds * launches;
    snprintf(reason, size, "%s", fake_job.breaks ? fake_job.breaks : "");
    return fake_job.breaks ? -1 : 0;
}
