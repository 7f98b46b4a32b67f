#include "coordinator/state/run_plan.h"

#include <inttypes.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/text.h"
#include "process/host_memory.h"
#include "store/hdf5/file.h"
#include "version.h"

static const char *const listed[] = {
    "SLURM_JOB_ID",       "SLURM_JOB_NAME",      "SLURM_JOB_PARTITION",  "SLURM_NNODES",
    "SLURM_NTASKS",       "SLURM_GPUS_ON_NODE",  "SLURM_GPUS_PER_NODE",  "SLURM_CPUS_ON_NODE",
    "SLURM_CLUSTER_NAME", "SLURM_RESTART_COUNT", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",
    "WARPSWEEP_FAKE",     "WARPSWEEP_PREFETCH",  "WARPSWEEP_REFERENCE",
};
/* The image of the container, as engines and Slurm name it. */
static const char *const images[] = {"APPTAINER_CONTAINER", "SINGULARITY_CONTAINER", "SLURM_CONTAINER_IMAGE",
                                     "SLURM_CONTAINER"};

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

static bool has(const struct environment *environment, const char *name)
{
    for (int i = 0; i < environment->count; i++)
        if (!strcmp(environment->pair[i].name, name))
            return true;
    return false;
}

void environment_read(struct environment *environment, const void *lines, size_t size)
{
    char *copy = memory_new(size + 1, 1), *rest = copy, *line;
    if (size)
        memcpy(copy, lines, size);
    while ((line = strsep(&rest, "\n"))) {
        char *value = strchr(line, '\t');
        if (!value)
            continue;
        *value++ = '\0';
        if (!has(environment, line))
            environment_add(environment, line, "%s", value);
    }
    free(copy);
}

/* Of memory, where a control group has one below the node's. */
static void add_limit(struct environment *environment)
{
    struct host_memory memory = host_memory_read("");
    if (memory.limit >= 0)
        environment_add(environment, "memory_limit", "%" PRId64, memory.limit);
}

/* What writes the file, and where. */
static void add_storage(struct environment *environment, const char *output)
{
    char text[64], *real = io_real_path(output);
    hdf5_version(text, sizeof text);
    environment_add(environment, "hdf5", "%s", text);
    if (io_filesystem("", real, text, sizeof text))
        environment_add(environment, "filesystem", "%s", text);
    free(real);
}

void environment_collect(struct environment *environment, int argc, char **argv, const char *output)
{
    char start[32], library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    struct utsname system;
    int length;
    char *command = environment_command(argc, argv);
    clock_date(start, sizeof start);
    MPI_Get_library_version(library, &length);
    library[strcspn(library, ",\n")] = '\0';
    environment_add(environment, "release", "%s", WARPSWEEP_RELEASE);
    environment_add(environment, "commit", "%s", WARPSWEEP_COMMIT);
    environment_add(environment, "command", "%s", command);
    environment_add(environment, "start", "%s", start);
    environment_add(environment, "mpi", "%s", library);
    if (uname(&system) == 0)
        environment_add(environment, "kernel", "%s %s %s", system.sysname, system.release, system.machine);
    environment_add(environment, "compiler", "%s", WARPSWEEP_COMPILER);
    environment_add(environment, "compiler_flags", "%s", WARPSWEEP_COMPILER_FLAGS);
    environment_add(environment, "cuda_toolkit", "%s", WARPSWEEP_TOOLKIT);
    add_limit(environment);
    add_storage(environment, output);
    for (size_t i = 0; i < sizeof images / sizeof *images; i++)
        if (getenv(images[i]) && !has(environment, "container_image"))
            environment_add(environment, "container_image", "%s", getenv(images[i]));
    for (size_t i = 0; i < sizeof listed / sizeof *listed; i++)
        if (getenv(listed[i]))
            environment_add(environment, listed[i], "%s", getenv(listed[i]));
    free(command);
}
