/* fuzz_job.c - any bytes as a job file: refused with one line that says where, or read, expanded and freed.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plan/grid.h"

/* Combinations of all sweeps, or `most` when there are more: the grid itself is for small jobs here. */
static uint64_t combinations(const struct job *job, uint64_t most)
{
    uint64_t total = 0;
    for (int s = 0; s < job->sweep_count && total < most; s++) {
        uint64_t count = 1;
        for (int i = 0; i < job->sweeps[s].axis_count && count < most; i++)
            if (job->sweeps[s].axes[i].group == i)
                count *= job->sweeps[s].axes[i].count;
        total += count;
    }
    return total < most ? total : most;
}

static void check_error(const struct error *error)
{
    if (error->kind != ERROR_USAGE || !*error->text || strchr(error->text, '\n'))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { SMALL = 5000 };
    struct job job;
    struct grid *grid;
    struct error error = {0};
    if (job_parse("fuzz.yaml", (const char *)data, size, &job, &error) != 0) {
        check_error(&error);
        if (strncmp(error.text, "fuzz.yaml:", 10) != 0)
            abort();
        return 0;
    }
    uint64_t most = combinations(&job, SMALL);
    if (most < SMALL) {
        if (grid_expand(&job, &grid, &error) != 0) {
            check_error(&error);
        } else {
            if (grid_count(grid) + grid_size(grid)->excluded + grid_size(grid)->unwanted +
                    grid_size(grid)->duplicates !=
                most)
                abort();
            free(order_of_work(grid, &job.timing, size));
            grid_free(grid);
        }
    }
    job_free(&job);
    return 0;
}
