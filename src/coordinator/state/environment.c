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
#include "version.h"

static const char *const listed[] = {
    "SLURM_JOB_ID",      "SLURM_JOB_NAME",     "SLURM_JOB_PARTITION", "SLURM_NNODES",
    "SLURM_NTASKS",      "SLURM_CLUSTER_NAME", "SLURM_RESTART_COUNT", "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER", "WARPSWEEP_FAKE",     "WARPSWEEP_PREFETCH",  "WARPSWEEP_REFERENCE",
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
}
