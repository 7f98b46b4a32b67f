/* bench_model.c - what a prediction costs: processor time a point, with every access gone through as after a measurement, over
 * the jobs of papers and of odd sizes; and the kernel and point that take longest. */
#include <stdio.h>
#include <sys/resource.h>

#include "../tests/unit/made_up_gpu.h"
#include "base/text.h"
#include "family/target.h"
#include "family/time/time_model.h"
#include "plan/grid.h"

static double processor_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
}

static int time_job(const char *path, const struct profile *profile)
{
    struct device device = profile_device(profile, "");
    struct target target = target_of_device(&device);
    struct time_prediction time;
    struct text slowest = {0};
    struct error error;
    struct job job;
    struct grid *grid;
    double start = processor_seconds(), most = 0;
    size_t points = 0;
    char reason[256];
    if (job_read(path, &job, &error) != 0 || grid_expand(&job, &grid, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    for (size_t i = 0; i < grid_count(grid); i++) {
        struct point point = grid_point(grid, i);
        struct time_facts facts = time_facts_none((enum cache_mode)point_value(&point, "cache", CACHE_COLD));
        double before = processor_seconds();
        if (family_skip(&point, &target, reason, sizeof reason))
            continue;
        time_predict(&point, profile, &facts, &time);
        points++;
        if (processor_seconds() - before <= most)
            continue;
        most = processor_seconds() - before;
        slowest.length = 0;
        point_describe(&point, &slowest);
    }
    printf("%s: %zu points, %.2f ms each; longest %.1f ms: %s\n", path, points,
           1e3 * (processor_seconds() - start) / (double)points, 1e3 * most, slowest.data);
    text_free(&slowest);
    grid_free(grid);
    job_free(&job);
    return 0;
}

int main(void)
{
    struct device device = gpu();
    struct profile profile = profile_of(&device);
    return time_job(SOURCE_FOLDER "/jobs/paper.yaml", &profile) |
           time_job(SOURCE_FOLDER "/jobs/copy.yaml", &profile) |
           time_job(SOURCE_FOLDER "/jobs/odd_sizes.yaml", &profile);
}
