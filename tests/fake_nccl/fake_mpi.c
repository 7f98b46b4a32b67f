/* What an MPI says before MPI_Init: its version, and of Open MPI 4 whether it was built with CUDA. FAKE_NCCL says which. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int MPI_Get_library_version(char *version, int *length);
int MPIX_Query_cuda_support(void);

static int is(const char *mode)
{
    const char *wanted = getenv("FAKE_NCCL");
    return wanted && !strcmp(wanted, mode);
}

int MPI_Get_library_version(char *version, int *length)
{
    *length = snprintf(version, 256, "Open MPI v%s, package: Made up, repo rev: 0\n",
                       is("mpi_new") ? "5.0.11" : "4.1.6");
    return is("mpi_mute");
}

int MPIX_Query_cuda_support(void)
{
    if (is("mpi_new"))
        abort(); /* it must not be asked before MPI_Init */
    return is("mpi_aware");
}
