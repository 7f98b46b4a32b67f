#include "launch/rank.h"

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

static bool read_number(const char *variable, int minimum, int *number)
{
    int64_t value;
    const char *text = getenv(variable);
    if (!text || !text_parse_integer(text, &value) || value < minimum || value >= INT_MAX)
        return false;
    *number = (int)value;
    return true;
}

int rank_count(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    int count;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (read_number(variables[i], 1, &count))
            return count;
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
    int number;
    if (read_number("OMPI_COMM_WORLD_LOCAL_RANK", 0, &number) || read_number("MPI_LOCALRANKID", 0, &number))
        return number;
    /* A batch script has SLURM_LOCALID 0, which its children inherit: only srun sets it for each task. */
    if (getenv("SLURM_STEP_ID") && !getenv("OMPI_COMM_WORLD_SIZE") &&
        read_number("SLURM_LOCALID", 0, &number))
        return number;
    return rank_is_alone() ? 0 : -1;
}
