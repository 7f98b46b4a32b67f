#include "cli/dry_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/key_set.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/survey_print.h"
#include "plan/order.h"
#include "store/store.h"

/* Points to measure, and others. */
struct dry_work {
    size_t count;
    size_t before;      /* points that are in the file */
    size_t elsewhere;   /* points of other shares */
    size_t unsupported; /* of `count`; they take no time */
    double seconds;     /* of measuring each once, on one rank */
};

/* The ids of the points in the file, and its seed, which a resumed run keeps. */
static int read_file(const struct launch_options *launch, struct keys *ids, uint64_t *seed,
                     struct error *error)
{
    struct dataset file;
    if (!launch->output_path || access(launch->output_path, F_OK) != 0)
        return 0;
    if (!launch->resume) {
        printf("\n%s exists: the run would stop without --resume\n", launch->output_path);
        return 0;
    }
    if (dataset_read(launch->output_path, &file, error) != 0)
        return -1;
    for (size_t row = 0; row < file.results.rows; row++) {
        const char *status = frame_find_text(&file.results, row, COLUMN(status));
        bool good = status_is_ok(status) || !strcmp(status, status_words[STATUS_UNSUPPORTED]);
        if (dataset_is_point(&file, row) && (good || !launch->retry_failed))
            keys_add(ids, strtoull(frame_find_text(&file.results, row, COLUMN(id)), NULL, 16));
    }
    const char *its = dataset_environment(&file, "seed");
    if (its && !launch->seed_given)
        *seed = strtoull(its, NULL, 10);
    dataset_free(&file);
    return 0;
}

static int find_work(const struct launch_options *launch, const struct job *job, const struct grid *grid,
                     struct dry_work *work, struct error *error)
{
    struct keys ids = {0};
    uint64_t seed = launch->seed_given ? launch->seed : hash_text(HASH_START, job->text);
    if (read_file(launch, &ids, &seed, error) != 0)
        return -1;
    uint32_t *order = order_of_work(grid, &job->timing, seed); /* shares are of it */
    for (size_t i = 0; i < grid_count(grid); i++) {
        struct point point = grid_point(grid, order[i]);
        double seconds = order_expected_seconds(&point, &job->timing);
        if (!share_has(&launch->share, i)) {
            work->elsewhere++;
        } else if (keys_have(&ids, grid_id(grid, order[i]))) {
            work->before++;
        } else {
            work->count++;
            work->unsupported += !(seconds > 0);
            work->seconds += seconds;
        }
    }
    free(order);
    keys_free(&ids);
    return 0;
}

/* Every replicate measures all points again; with `devices: all`, every rank does. */
static void print_ranks(const struct job *job, const struct launch_options *launch,
                        const struct dry_work *work, int ranks)
{
    char each[32], once[32];
    const struct timing *timing = &job->timing;
    bool energy = job->energy || launch->energy;
    double seconds = work->seconds * timing->replicates / (timing->all_devices ? 1 : ranks);
    seconds += energy ? ENERGY_SECONDS * (double)(work->count - work->unsupported) / ranks : 0;
    text_format_seconds(work->seconds, once, sizeof once);
    text_format_seconds(seconds, each, sizeof each);
    printf("\n%zu points to measure: %s on one rank, each once\n", work->count - work->unsupported, once);
    printf("%d rank%s, %u process%s per point%s: about %s%s, plus compiling%s\n", ranks,
           ranks == 1 ? "" : "s", timing->replicates, timing->replicates == 1 ? "" : "es",
           timing->all_devices ? ", every point on every device" : "", each, energy ? " with energy" : "",
           launch->counters || strcmp(job->counter_set, "none") != 0 ? " and counting" : "");
    if (launch->time_limit > 0 && seconds > launch->time_limit)
        printf("this exceeds --time-limit: the run would stop, and --resume would continue it\n");
}

int dry_run(const struct launch_options *launch, int ranks, struct error *error)
{
    struct job job;
    struct grid *grid = NULL;
    struct dry_work work = {0};
    const struct target unknown = {0};
    if (compose_job(&launch->job, &job, error) != 0)
        return -1;
    int failed = grid_expand(&job, &grid, error);
    if (!failed) {
        struct survey survey = survey_take(grid, &job.timing, &unknown, ARCH_NATIVE);
        survey_print_head(&job, grid);
        survey_print(&survey);
        survey_free(&survey);
        failed = find_work(launch, &job, grid, &work, error);
    }
    if (!failed) {
        if (work.before)
            printf("\n%zu points are already in %s\n", work.before, launch->output_path);
        if (work.elsewhere)
            printf("\n%zu points belong to other shares\n", work.elsewhere);
        print_ranks(&job, launch, &work, ranks);
        printf("\nNothing was measured. Times are order-of-magnitude estimates for a data-centre GPU%s; "
               "unsupported points show up only in the run.\n",
               strcmp(launch->backend, "host") != 0 ? "" : ", and the host back end takes longer");
    }
    grid_free(grid);
    job_free(&job);
    return failed ? -1 : EXIT_FINE;
}
