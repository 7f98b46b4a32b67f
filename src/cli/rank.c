#include "cli/rank.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

bool rank_is_first(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *rank = getenv(variables[i]);
        if (rank)
            return !strcmp(rank, "0");
    }
    return true;
}

int rank_count(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    int64_t count;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *size = getenv(variables[i]);
        if (size && text_parse_integer(size, &count) && count > 0 && count < INT_MAX)
            return (int)count;
    }
    return 1;
}
