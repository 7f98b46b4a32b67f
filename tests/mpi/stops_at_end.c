/* stops_at_end - preloaded into the ranks of a run: rank 1 stops itself where MPI ends; with STOPS_BEHIND,
 * behind it; with STOPS_CLOSING rank 0 does, when the file is written and all ranks leave. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

static int is_rank(const char *number)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    return rank && !strcmp(rank, number);
}

int MPI_Ibarrier(MPI_Comm ranks, MPI_Request *request)
{
    if (getenv("STOPS_CLOSING") && is_rank("0"))
        raise(SIGSTOP);
    return PMPI_Ibarrier(ranks, request);
}

int MPI_Finalize(void)
{
    int stops = is_rank("1") && !getenv("STOPS_CLOSING"), behind = getenv("STOPS_BEHIND") != NULL;
    if (stops && !behind)
        raise(SIGSTOP);
    int code = PMPI_Finalize();
    if (stops && behind)
        raise(SIGSTOP);
    return code;
}
