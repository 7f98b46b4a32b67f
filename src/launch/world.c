#include "launch/launch.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

#ifdef OPEN_MPI
#define MPI_NEEDS "pmix"
#else
#define MPI_NEEDS "pmi2"
#endif

/* s that other tasks wait for task 0 to print: srun may kill it when they exit */
#define FIRST_LINE_SECONDS 1

#define REASON_MAX 200 /* characters of what MPI says */

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5
#define SHARED_MEMORY "sm" /* name of the transport */
#define KNOWS_PMI2    false
#else
#define SHARED_MEMORY "vader"
#define KNOWS_PMI2    true /* Open MPI 4 may have been built with it */
#endif

/* How srun has started this process, read before MPI_Init changes the environment. */
static const char *pmi;
static int tasks, started; /* of srun; of whatever launcher */
static bool pmi2;

/* Number of tasks that srun has started; 0 if srun has not started this process. */
static int tasks_of_srun(void)
{
    if (!getenv("SLURM_STEP_ID") || getenv("OMPI_COMM_WORLD_SIZE"))
        return 0;
    return rank_variable("SLURM_STEP_NUM_TASKS", 0);
}

static const char *pmi_of_srun(void)
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
    library[strcspn(library, ",\n")] = '\0';
    if (rank_variable("SLURM_PROCID", 0) != 0) {
        sleep(FIRST_LINE_SECONDS);
        return;
    }
    bool right_pmi = !strcmp(pmi, MPI_NEEDS);
    fprintf(stderr,
            "warpsweep: srun started %d task%s with --mpi=%s, but %s cannot connect them to one run that "
            "way: use %s, or mpirun\n",
            tasks_of_srun(), tasks_of_srun() == 1 ? "" : "s", pmi, library,
            right_pmi ? "another version of it from srun --mpi=list"
                      : "srun --mpi=" MPI_NEEDS " (srun --mpi=list shows what this Slurm has)");
}

/* Whether all ranks are on this node, according to the environment. */
static bool is_one_node(void)
{
    int size = rank_variable("OMPI_COMM_WORLD_SIZE", 0);
    if (size)
        return size == rank_variable("OMPI_COMM_WORLD_LOCAL_SIZE", 0);
    return rank_is_alone() || (tasks_of_srun() && rank_variable("SLURM_STEP_NUM_NODES", 0) == 1);
}

/* Within a node Open MPI need not search for networks, nor start a daemon for a single process. That shortens
 * MPI_Init from 0.23 to 0.03 s under mpirun and from 0.45 to 0.07 s without (Open MPI 4.1.4, two virtual
 * processors). A single process needs no session directory, which it would share with all others of the node:
 * one that ends removes it while another begins, whose MPI_Init then fails (Open MPI 4, about one run of 200
 * on a busy node). TCP is for a /dev/shm that is small or full, and costs no time at the start if it is not
 * used. What the user has set stays. */
static void search_no_networks(void)
{
#ifdef OPEN_MPI
    if (rank_is_alone()) {
        setenv("OMPI_MCA_ess_singleton_isolated", "1", false);
        setenv("OMPI_MCA_orte_create_session_dirs", "0", false);
    }
    if (getenv("OMPI_MCA_pml") || getenv("OMPI_MCA_btl"))
        return;
    setenv("OMPI_MCA_pml", "ob1", false);
    setenv("OMPI_MCA_btl", "self," SHARED_MEMORY ",tcp", false);
#endif
}

/* Single-copy transfers read the sender's memory. They fail in containers that forbid that, and a receiver
 * hangs if the sender is killed before. Our messages are small. Open MPI 5 has no such parameter. */
static void copy_through_shared_memory(void)
{
#ifdef OPEN_MPI
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", false);
#endif
}

/* One task needs no other. Without PMIx Open MPI would not start in its step, and with it the second run of
 * the same step would not: so it starts as a process of its own. */
static void leave_step(void)
{
    static const char *const names[] = {
        "SLURM_STEP_ID",    "SLURM_STEPID",      "PMIX_RANK",        "PMIX_NAMESPACE",   "PMIX_SERVER_URI",
        "PMIX_SERVER_URI2", "PMIX_SERVER_URI21", "PMIX_SERVER_URI3", "PMIX_SERVER_URI4", "PMI_FD",
        "PMI_RANK",         "PMI_SIZE",          "PMI_JOBID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

int world_check(void)
{
    if (tasks_of_srun() == 1)
        leave_step();
    started = rank_count();
    tasks = tasks_of_srun();
    pmi = pmi_of_srun();
    pmi2 = tasks && !strcmp(pmi, "pmi2");
    if (tasks > 1 && (!strcmp(pmi, "none") || (pmi2 && !KNOWS_PMI2))) {
        refuse();
        return -1;
    }
    return 0;
}

/* MPI's text begins with a page of lines like "-----"; its first sentence is the reason. Under mpirun that
 * prints the page. */
static void explain(const char *said)
{
    if (tasks > 1 && pmi2) {
        refuse();
        return;
    }
    if (!rank_is_first())
        return;
    said += strspn(said, "- \n");
    const char *end = strstr(said, ".\n"), *point = strstr(said, ". ");
    if (!end || (point && point < end))
        end = point;
    struct text reason = {0};
    for (const char *at = said; *at && at != end && reason.length < REASON_MAX; at++)
        text_add(&reason, "%c", *at == '\n' ? ' ' : *at);
    fprintf(stderr, "warpsweep: MPI_Init failed: %s; -v prints all that MPI says\n",
            reason.length ? reason.data : "MPI ended this process");
}

int world_enter(bool verbose)
{
    int size;
    copy_through_shared_memory();
    if (is_one_node())
        search_no_networks();
    mpi_start(!verbose, explain);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (started > 1 && size == 1) { /* each would be rank 0, and measure everything on the first GPU */
        if (tasks > 1)
            refuse();
        else if (rank_is_first())
            fprintf(stderr,
                    "warpsweep: a launcher of another MPI started %d processes, which cannot connect to "
                    "one run: use "
                    "the mpirun of the MPI that warpsweep was built with\n",
                    started);
        MPI_Finalize();
        return -1;
    }
    bool alone = size == 1 && !getenv("SLURM_STEP_ID") && !getenv("OMPI_COMM_WORLD_SIZE");
    if (alone && rank_variable("SLURM_NTASKS", 0) > 1)
        fprintf(stderr,
                "warpsweep: note: one rank in an allocation of %d tasks; srun --mpi=" MPI_NEEDS
                " or mpirun starts one per task\n",
                rank_variable("SLURM_NTASKS", 0));
    return 0;
}
