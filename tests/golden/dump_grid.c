/* dump_grid.c - a job file as text: what it says of measuring, and every point of its grid.
 *
 * Usage: dump_grid JOB. Errors go to stderr, one line; the exit code is 2 then. */
#include <stdio.h>

#include "plan/grid.h"

static void print_settings(const struct job *job)
{
    const struct timing *timing = &job->timing;
    printf("title: %s\n", job->title);
    printf("counters: %s", job->counter_set);
    for (int i = 0; i < job->counter_count; i++)
        printf("%s%s", i ? " " : "", job->counter[i]);
    printf("%s\ntiming: cache=%s min_samples=%u max_samples=%u target_ci=%g max_time=%g timeout=%g\n",
           job->energy ? "\nenergy: yes" : "", cache_words[timing->cache], timing->min_samples,
           timing->max_samples, timing->target_ci, timing->max_time, timing->timeout);
}

static void print_points(const struct grid *grid)
{
    printf("points: %zu excluded: %zu duplicates: %zu\n", grid_count(grid), grid_size(grid)->excluded,
           grid_size(grid)->duplicates);
    for (size_t i = 0; i < grid_count(grid); i++) {
        struct point point = grid_point(grid, i);
        struct text line = {0};
        point_describe(&point, &line);
        printf("%s\n", line.data);
        text_free(&line);
    }
}

int main(int argc, char **argv)
{
    struct job job;
    struct grid *grid;
    struct error error;
    if (argc != 2) {
        fprintf(stderr, "usage: dump_grid JOB\n");
        return 2;
    }
    if (job_read(argv[1], NULL, &job, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        return 2;
    }
    if (grid_expand(&job, &grid, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        job_free(&job);
        return 2;
    }
    print_settings(&job);
    print_points(grid);
    grid_free(grid);
    job_free(&job);
    return 0;
}
