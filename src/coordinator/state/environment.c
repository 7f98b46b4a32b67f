#include "coordinator/state/run_plan.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/memory.h"
#include "base/text.h"
#include "family/python/python.h"
#include "version.h"

/* Variables that affect results and contain no secrets. */
static const char *const listed[] = {
    "SLURM_JOB_ID",         "SLURM_JOB_NAME",       "SLURM_JOB_PARTITION",
    "SLURM_NNODES",         "SLURM_NTASKS",         "SLURM_CLUSTER_NAME",
    "SLURM_RESTART_COUNT",  "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",
    "CUDA_FORCE_PTX_JIT",   "CUDA_DISABLE_PTX_JIT", "CUDA_MODULE_LOADING",
    "CUDA_LAUNCH_BLOCKING", "OMP_NUM_THREADS",      "NCCL_ALGO",
    "NCCL_PROTO",           "NCCL_NVLS_ENABLE",     "NCCL_P2P_DISABLE",
    "NCCL_P2P_LEVEL",       "NCCL_SHM_DISABLE",     "NCCL_MIN_CTAS",
    "NCCL_MAX_CTAS",        "NCCL_BUFFSIZE",        "NCCL_NTHREADS",
    "NCCL_GRAPH_REGISTER",  "NCCL_CUMEM_ENABLE",    "WARPSWEEP_FAKE",
    "WARPSWEEP_PREFETCH",   "WARPSWEEP_REFERENCE",
};

void environment_add(struct environment *environment, const char *name, const char *format, ...)
{
    char *value = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&value, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    environment->pair = memory_grow(environment->pair, (size_t)environment->count, &environment->capacity,
                                    sizeof *environment->pair);
    environment->pair[environment->count++] = (struct store_pair){.name = memory_text(name), .value = value};
}

void environment_free(struct environment *environment)
{
    for (int i = 0; i < environment->count; i++) {
        free(environment->pair[i].name);
        free(environment->pair[i].value);
    }
    free(environment->pair);
    *environment = (struct environment){0};
}

char *environment_command(int argc, char **argv)
{
    struct text command = {0};
    for (int i = 0; i < argc; i++) {
        text_add(&command, "%s", i ? " " : "");
        text_add_quoted(&command, argv[i]);
    }
    return command.data ? command.data : memory_text("");
}

/* The interpreter and the modules of families in Python. */
static void add_python(struct environment *environment)
{
    char *versions = python_versions(), *rest = versions, *line;
    while ((line = strsep(&rest, "\n"))) {
        char *value = strchr(line, '\t');
        if (!value)
            continue;
        *value++ = '\0';
        environment_add(environment, line, "%s", value);
    }
    free(versions);
}

void environment_collect(struct environment *environment, int argc, char **argv)
{
    char start[32], library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    time_t now = time(NULL);
    struct tm utc;
    struct utsname system;
    int length;
    char *command = environment_command(argc, argv);
    strftime(start, sizeof start, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    MPI_Get_library_version(library, &length);
    library[strcspn(library, ",\n")] = '\0';
    environment_add(environment, "release", "%s", WARPSWEEP_RELEASE);
    environment_add(environment, "commit", "%s", WARPSWEEP_COMMIT);
    environment_add(environment, "command", "%s", command);
    environment_add(environment, "start", "%s", start);
    environment_add(environment, "mpi", "%s", library);
    if (uname(&system) == 0)
        environment_add(environment, "kernel", "%s %s %s", system.sysname, system.release, system.machine);
    for (size_t i = 0; i < sizeof listed / sizeof *listed; i++)
        if (getenv(listed[i]))
            environment_add(environment, listed[i], "%s", getenv(listed[i]));
    free(command);
    add_python(environment);
}
