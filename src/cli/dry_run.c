#include "cli/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/key_set.h"
#include "base/text.h"
#include "launch/launch.h"
#include "plan/grid.h"
#include "plan/profile_file.h"
#include "protocol/config.h"
#include "store/store.h"
#include "table/table.h"
#include "toolkit/toolkit.h"

/* What the run would do. */
struct left {
    size_t points;    /* to measure, new ones */
    size_t before;    /* in the file */
    size_t partial;   /* of those: measured by fewer processes than the job wants */
    size_t elsewhere; /* in other shares */
    double seconds;   /* of all processes, on one rank */
};

/* Take from what is left what the file has. */
static void subtract_file(const struct launch_options *launch, const struct timing *timing,
                          const struct dataset *file, const struct keys *wanted, struct left *left)
{
    struct keys seen = {0};
    struct point point;
    for (size_t row = 0; row < file->results.rows; row++) {
        const char *status = frame_find_text(&file->results, row, COLUMN(status));
        const uint64_t id = strtoull(frame_find_text(&file->results, row, COLUMN(id)), NULL, 16);
        const bool ok = status_is_ok(status);
        const bool again = launch->retry_failed && status_is_bad(text_find(status_words, status));
        if (again || !dataset_is_point(file, row) || !keys_have(wanted, id) || !keys_add(&seen, id) ||
            !row_point(&file->results, row, &point))
            continue;
        double processes =
            ok && !timing->all_devices ? frame_find_real(&file->results, row, COLUMN(processes)) : NAN;
        processes = fmin(processes, timing->replicates); /* of an older release: all */
        left->seconds -= processes * order_expected_seconds(&point, timing);
        left->partial += processes < timing->replicates;
        left->before++;
        left->points--;
    }
    keys_free(&seen);
}

static int find_left(const struct launch_options *launch, const struct job *job, const struct grid *grid,
                     const struct target *target, struct left *left, struct error *error)
{
    const bool there = launch->output_path && access(launch->output_path, F_OK) == 0;
    uint64_t seed = launch->seed_given ? launch->seed : hash_text(HASH_START, job->text);
    struct dataset file = dataset_new();
    struct keys wanted = {0};
    char reason[256];
    if (there && !launch->resume)
        printf("\n%s exists: the run would stop without --resume\n", launch->output_path);
    if (there && launch->resume) {
        dataset_free(&file);
        if (dataset_read(launch->output_path, &file, error) != 0)
            return -1;
        const char *its = dataset_environment(&file, "seed"); /* a resumed run keeps it */
        seed = its && !launch->seed_given ? strtoull(its, NULL, 10) : seed;
    }
    uint32_t *order = order_of_work(grid, &job->timing, seed);
    for (size_t i = 0; i < grid_count(grid); i++) {
        struct point point = grid_point(grid, order[i]);
        const bool ours = share_has(&launch->share, i);
        left->elsewhere += !ours;
        if (!ours || family_skip(&point, target, reason, sizeof reason))
            continue;
        keys_add(&wanted, grid_id(grid, order[i]));
        left->points++;
        left->seconds += job->timing.replicates * order_expected_seconds(&point, &job->timing);
    }
    subtract_file(launch, &job->timing, &file, &wanted, left);
    free(order);
    keys_free(&wanted);
    dataset_free(&file);
    return 0;
}

static void print_left(const struct launch_options *launch, const struct job *job, const struct left *left,
                       int ranks)
{
    const struct timing *timing = &job->timing;
    const bool energy = job->energy || launch->energy;
    const bool counts =
        launch->counters ? strcmp(launch->counters, "none") != 0 : strcmp(job->counter_set, "none") != 0;
    const double seconds = left->seconds / (timing->all_devices ? 1 : ranks) +
                           (energy ? ENERGY_SECONDS * (double)left->points / ranks : 0);
    char text[32];
    text_format_seconds(seconds, text, sizeof text);
    if (left->elsewhere)
        printf("\n%zu points belong to other shares\n", left->elsewhere);
    if (left->before)
        printf("\n%zu points are already in %s\n", left->before, launch->output_path);
    if (left->partial)
        printf("%zu of them lack processes\n", left->partial);
    printf("\n%zu points to measure%s on %d rank%s, %u process%s per point: about %s%s, plus compiling%s\n",
           left->points, timing->all_devices ? " on every device" : "", ranks, ranks == 1 ? "" : "s",
           timing->replicates, timing->replicates == 1 ? "" : "es", text, energy ? " with energy" : "",
           counts ? " and counting" : "");
    if (launch->time_limit > 0 && seconds > launch->time_limit)
        printf("this exceeds --time-limit: the run would stop, and --resume would continue it\n");
    printf("nothing was measured\n");
}

/* A job whose values depend on the device is of the device of this rank; without one, of an H100, and only memory is checked. */
static struct target find_target(const struct launch_options *launch)
{
    struct device device;
    struct error ignored;
    const bool automatic = !strcmp(launch->backend, "auto");
    if (toolkit_ask_device(automatic ? "cuda" : launch->backend, &device, &ignored) != 0)
        return profile_find_largest(&device);
    struct target target = target_of_device(&device);
    relative_set_device(&target);
    return target;
}

int dry_run(const struct launch_options *launch, struct error *error)
{
    struct job job;
    struct grid *grid = NULL;
    struct left left = {0};
    const struct target target = find_target(launch);
    if (compose_job(&launch->job, &job, error) != 0)
        return -1;
    int failed = grid_expand(&job, &grid, error);
    if (!failed) {
        struct survey survey = survey_take(grid, &job.timing, &target, ARCH_NATIVE);
        survey_print_head(&job, grid);
        survey_print(&survey, job.timing.replicates);
        survey_free(&survey);
        failed = find_left(launch, &job, grid, &target, &left, error);
    }
    if (!failed)
        print_left(launch, &job, &left, rank_count());
    grid_free(grid);
    job_free(&job);
    return failed ? -1 : EXIT_FINE;
}
