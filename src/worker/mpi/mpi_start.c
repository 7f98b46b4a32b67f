#include "worker/mpi/mpi_start.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "process/shipped.h"

#define CPUS_MAX 8192
#define PROGRAM  "warpsweep-mpi-process"

extern char **environ;

/* What tells a process that it belongs to a job, or what launchers and `warpsweep run` itself have set for theirs: the job of a point
 * is a job of its own. */
static bool is_of_other_job(const char *variable)
{
    static const char *const prefixes[] = {"OMPI_", "ORTE_", "PMIX_",  "PRTE_",  "PMI_",
                                           "PMI2_", "HYDI_", "HYDRA_", "SLURM_", "MPI_LOCAL"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(variable, prefixes[i], strlen(prefixes[i])))
            return true;
    return false;
}

/* More processes than processors are allowed, and none is bound, unless the user's mpirun says otherwise: of Open MPI 4 and 5. That root
 * may run it, root has decided by running this program. No other node is reached, so that there need not be an ssh. */
static const char *const settings[] = {"OMPI_MCA_rmaps_base_oversubscribe=1",
                                       "OMPI_MCA_hwloc_base_binding_policy=none",
                                       "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe",
                                       "PRTE_MCA_hwloc_default_binding_policy=none",
                                       "OMPI_MCA_plm_rsh_agent=true",
                                       "PRTE_MCA_plm_ssh_agent=true",
                                       "OMPI_ALLOW_RUN_AS_ROOT=1",
                                       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                                       "PRTE_ALLOW_RUN_AS_ROOT=1",
                                       "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1"};

/* What this process starts gets SIGKILL with it, and mpirun could not clean up. So it is a child of a shell, whose second child sends
 * SIGTERM to mpirun when the pipe from this process closes. */
#define SHELL                                                                                                \
    "\"$@\" 3<&- 4>&- & job=$!; { cat <&3; kill $job; } >/dev/null 2>&1 4>&- & guard=$!; "                   \
    "wait $job; status=$?; kill $guard; exit $status"

/* A session of its own, so that Ctrl-C does not reach mpirun before the point has ended. */
static void add_launcher(struct text *words, const char *folder)
{
    const char *launcher = getenv("WARPSWEEP_MPIRUN");
    text_add(words, "setsid\nsh\n-c\n" SHELL "\nsh\nenv\n");
    for (char **variable = environ; *variable; variable++)
        if (is_of_other_job(*variable))
            text_add(words, "-u\n%.*s\n", (int)strcspn(*variable, "="), *variable);
    text_add(words, "TMPDIR=%s\n", folder);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        text_add(words, "%s\n", settings[i]);
    for (const char *at = launcher && *launcher ? launcher : "mpirun"; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        text_add(words, "%.*s\n", (int)length, at);
        at += length;
    }
}

/* The words of a text, one a line, which becomes their memory. */
static const char **split(char *words)
{
    size_t count = 0;
    for (const char *at = words; *at; at++)
        count += *at == '\n';
    const char **list = memory_new(count + 1, sizeof *list);
    char *rest = words;
    for (size_t i = 0; i < count; i++) {
        char *end = strchr(rest, '\n');
        *end = '\0';
        list[i] = rest;
        rest = end + 1;
    }
    return list;
}

/* Jobs of Open MPI 4 share a folder of the user, which one that ends removes while another begins. */
static int make_folder(struct scratch *scratch, struct error *error)
{
    const char *temporary = getenv("TMPDIR");
    struct text prefix = {0};
    text_add(&prefix, "%s/warpsweep-mpi-", temporary && *temporary ? temporary : "/tmp");
    int failed = scratch_make(prefix.data, scratch, error);
    text_free(&prefix);
    return failed;
}

int mpi_start(struct process *process, int processes, const char *socket, struct scratch *scratch,
              struct error *error)
{
    struct text words = {0};
    char *program = shipped_auxiliary(PROGRAM);
    if (!program)
        return error_set(error, ERROR_ENVIRONMENT, "the program " PROGRAM " does not lie beside this one");
    if (make_folder(scratch, error) != 0) {
        free(program);
        return -1;
    }
    add_launcher(&words, scratch->path);
    text_add(&words, "-n\n%d\n%s\n%s\n", processes, program, socket);
    free(program);
    const char **argv = split(words.data);
    /* This worker may be bound to its rank's share of the processors, which children inherit; the job uses those of all ranks. */
    cpu_set_t *own = CPU_ALLOC(CPUS_MAX), *all = CPU_ALLOC(CPUS_MAX);
    size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
    memset(all, 0xff, size);
    bool known = sched_getaffinity(0, size, own) == 0;
    if (known)
        sched_setaffinity(0, size, all); /* the kernel takes those that this container has */
    int failed = process_start(
        process, &(struct process_options){.path = argv[0], .argv = argv, .pipes = true, .errors = true},
        error);
    if (known)
        sched_setaffinity(0, size, own);
    CPU_FREE(own);
    CPU_FREE(all);
    free(argv);
    text_free(&words);
    return failed;
}
