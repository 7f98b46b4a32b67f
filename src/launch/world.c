#include "launch/world.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "launch/rank.h"
#include "process/crash_message.h"

#ifdef OPEN_MPI
#define MPI_NEEDS "pmix"
#else
#define MPI_NEEDS "pmi2"
#endif

#define FIRST_LINE_SECONDS 1 /* that the other tasks leave the first: srun may kill it when they end */

/* Open MPI 4 may have been built with other ways than PMIx. */
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5
#define KNOWS_PMI2 false
#else
#define KNOWS_PMI2 true
#endif

/* Its transport within a node. */
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5
#define SHARED_MEMORY "sm"
#else
#define SHARED_MEMORY "vader"
#endif

/* Of the srun that started this process, before MPI_Init changes the environment. */
static const char *way;
static int64_t tasks;
static bool pmi2;

static int64_t number_of(const char *name)
{
    int64_t number = 0;
    const char *text = getenv(name);
    return text && text_parse_integer(text, &number) ? number : 0;
}

/* Tasks of the srun that started this process; 0 when mpirun did, or nobody. */
static int64_t tasks_of_srun(void)
{
    if (!getenv("SLURM_STEP_ID") || getenv("OMPI_COMM_WORLD_SIZE"))
        return 0;
    return number_of("SLURM_STEP_NUM_TASKS");
}

static const char *way_of_srun(void)
{
    if (getenv("PMIX_RANK"))
        return "pmix";
    return getenv("PMI_FD") || getenv("PMI_RANK") ? "pmi2" : "none";
}

static void refuse(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    MPI_Get_library_version(library, &length); /* may be called at any time */
    for (char *end = library; *end; end++)
        if (*end == ',' || *end == '\n')
            *end = '\0';
    if (number_of("SLURM_PROCID") != 0) {
        sleep(FIRST_LINE_SECONDS);
        return;
    }
    bool right_one = !strcmp(way, MPI_NEEDS);
    fprintf(stderr,
            "warpsweep: srun started %lld task%s with --mpi=%s, by which %s cannot make them ranks of one "
            "run: use "
            "%s, or mpirun\n",
            (long long)tasks_of_srun(), tasks_of_srun() == 1 ? "" : "s", way, library,
            right_one ? "another version of it that srun --mpi=list shows"
                      : "srun --mpi=" MPI_NEEDS " (srun --mpi=list shows what this Slurm has)");
}

/* Are all ranks on this node, as far as their launcher tells? */
static bool is_one_node(void)
{
    int64_t size = number_of("OMPI_COMM_WORLD_SIZE");
    if (size)
        return size == number_of("OMPI_COMM_WORLD_LOCAL_SIZE");
    return rank_is_alone() || (tasks_of_srun() && number_of("SLURM_STEP_NUM_NODES") == 1);
}

/* Within a node Open MPI need not look for networks, nor start a daemon for one process: MPI_Init takes 0.03 s under mpirun in
 * place of 0.23, and 0.07 in place of 0.45 without (Open MPI 4.1.4, two virtual processors). Messages are small: they need no
 * way around a container's rules on other processes' memory, either. What the user has set stays. */
static void keep_to_itself(void)
{
#ifdef OPEN_MPI
    if (rank_is_alone())
        setenv("OMPI_MCA_ess_singleton_isolated", "1", false);
    if (getenv("OMPI_MCA_pml") || getenv("OMPI_MCA_btl"))
        return;
    setenv("OMPI_MCA_pml", "ob1", false);
    setenv("OMPI_MCA_btl", "self," SHARED_MEMORY, false);
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", false);
#endif
}

int world_check(void)
{
    tasks = tasks_of_srun();
    way = way_of_srun();
    pmi2 = tasks && !strcmp(way, "pmi2");
    if (tasks > 1 && (!strcmp(way, "none") || (pmi2 && !KNOWS_PMI2))) {
        refuse();
        return -1;
    }
    return 0;
}

int world_enter(bool verbose)
{
    int size;
    if (is_one_node())
        keep_to_itself();
    if (pmi2 && !verbose) {
        struct crash_message words = crash_message_arm(refuse); /* Open MPI ends the process by _exit */
        MPI_Init(NULL, NULL);
        crash_message_disarm(&words);
    } else {
        MPI_Init(NULL, NULL);
    }
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (tasks > 1 && size == 1) {
        refuse();
        MPI_Finalize();
        return -1;
    }
    bool alone = size == 1 && !getenv("SLURM_STEP_ID") && !getenv("OMPI_COMM_WORLD_SIZE");
    if (alone && number_of("SLURM_NTASKS") > 1)
        fprintf(stderr,
                "warpsweep: note: one rank in an allocation of %lld tasks; srun --mpi=" MPI_NEEDS
                " or mpirun starts one a task\n",
                (long long)number_of("SLURM_NTASKS"));
    return 0;
}
