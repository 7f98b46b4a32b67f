/* bench_grid.c - time and memory to read and expand a job of a million points, and to query the family about
 * each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "plan/grid.h"

static const char job_text[] = "sweeps:\n"
                               "  - kernel: copy\n"
                               "    axes:\n"
                               "      size: {from: 1MiB, to: 512MiB, factor: 2}\n"
                               "      dtype: [u8, f16, bf16, f32, f64]\n"
                               "      vector: [1, 2, 4, 8, 16]\n"
                               "      stride: [1, 2, 4, 8, 16, 32, 64, 137]\n"
                               "      offset: {from: 0, to: 64, step: 16}\n"
                               "      block: [64, 128, 256, 512, 1024]\n"
                               "      items: [1, 2, 4, 8]\n"
                               "      arch: [native, sm_90, sm_90a, sm_100a, compute_80]\n"
                               "    exclude:\n"
                               "      - {stride: 137, vector: 16}\n"
                               "  - kernel: copy\n"
                               "    axes:\n"
                               "      variant: store\n"
                               "      size: {from: 1MiB, to: 512MiB, factor: 2}\n"
                               "      stride: {from: 1, to: 2500, step: 1}\n";

static double peak_megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* What `check` computes for each point: whether it is supported, and its launch. */
static size_t count_supported(const struct grid *grid)
{
    const struct target target = {.capability = 90,
                                  .multiprocessors = 132,
                                  .l2_bytes = 50u << 20,
                                  .memory_bytes = UINT64_C(140) << 30,
                                  .shared_bytes = 227 << 10,
                                  .shared_sm_bytes = 228 << 10,
                                  .threads_sm = 2048};
    size_t supported = 0;
    for (size_t i = 0; i < grid_count(grid); i++) {
        struct point point = grid_point(grid, i);
        char reason[256];
        if (family_skip(&point, &target, reason, sizeof reason))
            continue;
        struct setup setup = family_of(&point)->setup(&point, &target);
        supported += setup.buffers > 0;
    }
    return supported;
}

int main(void)
{
    struct job job;
    struct grid *grid;
    struct error error;
    double start = clock_now();
    if (job_parse("bench.yaml", job_text, strlen(job_text), NULL, &job, &error) != 0 ||
        grid_expand(&job, &grid, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    double expanded = clock_now();
    size_t supported = count_supported(grid);
    double checked = clock_now();
    double megabytes = peak_megabytes();
    uint32_t *order = order_of_work(grid, &job.timing, 1);
    double ordered = clock_now();
    printf("points              %zu (%zu excluded, %zu supported)\n", grid_count(grid),
           grid_size(grid)->excluded, supported);
    printf("read and expand     %.3f s\n", expanded - start);
    printf("skip and setup      %.3f s\n", checked - expanded);
    printf("expand and validate %.3f s, peak %.1f MB\n", checked - start, megabytes);
    printf("order of work       %.3f s, peak %.1f MB\n", ordered - checked, peak_megabytes());
    free(order);
    grid_free(grid);
    job_free(&job);
    return 0;
}
