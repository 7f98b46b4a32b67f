/* stops_at_end - preloaded into the ranks of a run: rank 1 stops itself where MPI ends; with STOPS_BEHIND, behind it. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

int MPI_Finalize(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    int stops = rank && !strcmp(rank, "1"), behind = getenv("STOPS_BEHIND") != NULL;
    if (stops && !behind)
        raise(SIGSTOP);
    int code = PMPI_Finalize();
    if (stops && behind)
        raise(SIGSTOP);
    return code;
}
