#include "launch/launch.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

bool rank_is_first(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *rank = getenv(variables[i]);
        if (rank)
            return !strcmp(rank, "0");
    }
    return true;
}

int rank_variable(const char *name, int missing)
{
    int64_t value;
    const char *text = getenv(name);
    return text && text_parse_integer(text, &value) && value >= 0 && value < INT_MAX ? (int)value : missing;
}

int rank_count(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        int count = rank_variable(variables[i], 0);
        if (count > 0)
            return count;
    }
    return 1;
}

bool rank_is_alone(void)
{
    static const char *const variables[] = {
        "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMIX_NAMESPACE", "PMI_RANK", "PMI_FD", "SLURM_STEP_ID"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i]))
            return false;
    return true;
}

int rank_on_node(void)
{
    /* Open MPI, MPICH's Hydra, PALS and Flux; the last one's batch script has it too, but an MPI launcher
     * there sets its own. */
    static const char *const variables[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                            "PALS_LOCAL_RANKID", "FLUX_TASK_LOCAL_ID"};
    int number = -1;
    for (size_t i = 0; i < sizeof variables / sizeof *variables && number < 0; i++)
        number = rank_variable(variables[i], -1);
    /* A batch script has SLURM_LOCALID 0, which its children inherit: only srun sets it for each task. */
    if (number < 0 && getenv("SLURM_STEP_ID") && !getenv("OMPI_COMM_WORLD_SIZE"))
        number = rank_variable("SLURM_LOCALID", -1);
    return number < 0 && rank_is_alone() ? 0 : number;
}
