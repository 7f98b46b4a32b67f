#include "kernels/collective/mpi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    VERSION_SIZE = 8192 + 1
}; /* MPICH's MPI_MAX_LIBRARY_VERSION_STRING, which is larger than Open MPI's */

/* What Open MPI and MPICH with its descendants call their libraries. */
static const char *const names[] = {"libmpi.so.40", "libmpi.so.12"};

static void *load(void)
{
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
    return library;
}

static void find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found); /* as POSIX allows; ISO C has no cast for it */
}

/* 1 or 0; -1: it is known after MPI_Init only. Open MPI 4 answers as it was built, later releases by the accelerator that they have
 * chosen. */
static int is_cuda_aware(void *library, const char *version)
{
    int (*query)(void);
    int major = 0;
    find(library, "MPIX_Query_cuda_support", &query);
    if (sscanf(version, "Open MPI v%d", &major) != 1 || major > 4)
        return -1;
    return query ? query() != 0 : 0;
}

void mpi_describe(char *reason, size_t size)
{
    static char version[VERSION_SIZE];
    int (*get_version)(char *, int *), length = 0;
    void *library = load();
    if (!library) {
        snprintf(reason, size, "there is no MPI: neither %s nor %s can be loaded", names[0], names[1]);
        return;
    }
    find(library, "MPI_Get_library_version", &get_version);
    if (!get_version || get_version(version, &length) != 0) {
        snprintf(reason, size, "the installed MPI does not tell its version");
        return;
    }
    version[strcspn(version, ",\n")] = '\0';
    int aware = is_cuda_aware(library, version);
    if (aware == 0)
        snprintf(reason, size, "%.80s is not CUDA-aware: it cannot be given the memory of a GPU", version);
    else
        snprintf(
            reason, size,
            "%.80s%s: it would need a process for each GPU that calls MPI while it is timed, and a point "
            "runs in one process",
            version, aware > 0 ? " is CUDA-aware" : "");
}
