/* run - measure a job's points. All the work is in launch/. */
#include "cli/command.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/text.h"
#include "core/metric.h"
#include "launch/launch.h"
#include "plan/grid.h"
#include "protocol/traits.h"
#include "store/store.h"

static const char *const backends[] = {
    "auto",
#define X(name) #name,
    BACKENDS_WITH_CUDA(X) BACKENDS_EVERYWHERE(X)
#undef X
        NULL,
};

static const char *const remeasured[] = {"counters", NULL};

static const struct command_option options[] = {
    JOB_OPTIONS,
    {"print-job", 0, NULL, NULL, NULL, "print the resulting job file; measure nothing"},
    {"gpus", 0, "N", NULL, NULL,
     "with --print-job: say which points need more GPUs of a node than N, which a rank sees"},
    {"output", 'o', "FILE.h5", NULL, NULL, "the results file to write"},
    {"resume", 0, NULL, NULL, NULL, "continue the results file, or start it if it does not exist"},
    {"retry-failed", 0, NULL, NULL, NULL,
     "with --resume: measure failed, crashed and timed-out points again"},
    {"append-device", 0, NULL, NULL, NULL, "with --resume: also accept devices of another model"},
    OPTION_ACCEPT,
    {"remeasure", 0, "WHAT", NULL, remeasured,
     "with --resume: measure points again whose counters are missing or differ"},
    {"backend", 0, "NAME", "auto", backends, "what to measure on"},
    {"counters", 0, "SET", NULL, metric_sets, "hardware counters to read, instead of the job's"},
    {"energy", 0, NULL, NULL, NULL, "measure the energy of launches, as with energy: yes in the job"},
    {"share", 0, "K/N", NULL, NULL, "measure part K of N, as one task of an array; merge joins the files"},
    {"no-sources", 0, NULL, NULL, NULL, "do not store the text of the families of --kernels"},
    {"anonymous", 0, NULL, NULL, NULL, "write no names of hosts and users, no paths and no UUIDs"},
    {"seed", 0, "N", NULL, NULL, "seed of inputs and order; default: the hash of the job"},
    {"time-limit", 0, "DURATION", NULL, NULL, "stop cleanly after this time: 30min, 6h, 01:30:00"},
    {"silence", 0, "DURATION", NULL, NULL,
     "give up a rank after this long without a heartbeat; default: 30s"},
    {"verbose", 'v', NULL, NULL, NULL, "log on stderr what each rank does"},
    OPTION_KERNELS,
    {"pair", 0, "AXIS=V,V", NULL, NULL, "measure the points of two values of an axis in pairs"},
    OPTION_HELP,
};

static int read_duration(const struct arguments *arguments, const char *option, double least, double *seconds,
                         struct error *error)
{
    const char *text = options_text(arguments, option);
    if (text && (!text_parse_seconds(text, seconds) || !(*seconds >= least)))
        return error_set(error, ERROR_USAGE,
                         "--%s '%.40s': expected a duration of at least %gs, such as 90s, 6h or 01:30:00",
                         option, text, least);
    return 0;
}

static int read_seed(const char *text, uint64_t *seed, struct error *error)
{
    char *end;
    errno = 0;
    *seed = strtoull(text, &end, 10);
    if (isdigit((unsigned char)*text) && !*end && !errno)
        return 0;
    return error_set(error, ERROR_USAGE, "--seed '%.40s': expected a whole number from 0 to 2^64 - 1", text);
}

/* Found before a job waits for its GPUs (run --print-job): a file that would be written in vain. */
static int check_files(const struct arguments *arguments, struct error *error)
{
    static const char *const single[] = {"output", "share"};
    const char *output = options_text(arguments, "output");
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (options_each(arguments, single[i], 1))
            return error_set(error, ERROR_USAGE, "--%s is given twice: '%.80s' and '%.80s'", single[i],
                             options_each(arguments, single[i], 0), options_each(arguments, single[i], 1));
    return output ? options_results_file(output, error) : 0;
}

static int read_options(const struct arguments *arguments, struct launch_options *launch, struct error *error)
{
    *launch = (struct launch_options){
        .output_path = options_text(arguments, "output"),
        .resume = options_given(arguments, "resume"),
        .retry_failed = options_given(arguments, "retry-failed"),
        .append_device = options_given(arguments, "append-device"),
        .remeasure_counters = options_given(arguments, "remeasure"),
        .backend = options_text(arguments, "backend"),
        .counters = options_text(arguments, "counters"),
        .energy = options_given(arguments, "energy"),
        .no_sources = options_given(arguments, "no-sources"),
        .anonymous = options_given(arguments, "anonymous"),
        .verbose = options_given(arguments, "verbose"),
        .argc = arguments->argc,
        .argv = arguments->argv,
    };
    if (options_accepted(arguments, &launch->accepted, error) != 0)
        return -1;
    const char *pair = options_text(arguments, "pair");
    if (pair && job_pair_parse(pair, &launch->pair, error) != 0)
        return -1;
    if (pair && options_each(arguments, "kernels", 1))
        return error_set(error, ERROR_USAGE, "--pair and two versions of --kernels exclude each other");
    const char *seed = options_text(arguments, "seed"), *share = options_text(arguments, "share");
    if (check_files(arguments, error) != 0)
        return -1;
    if (share && !share_parse(share, &launch->share))
        return error_set(error, ERROR_USAGE,
                         "--share '%.40s': expected K/N with K from 1 to N and N at most %d, for example 3/8",
                         share, SHARES_MAX);
    launch->seed_given = seed != NULL;
    if ((seed && read_seed(seed, &launch->seed, error) != 0) ||
        read_duration(arguments, "time-limit", 1e-3, &launch->time_limit, error) != 0)
        return -1;
    return read_duration(arguments, "silence", 1, &launch->silence, error);
}

/* A job is printed only if `run` would take it. */
static int print_job(const struct arguments *arguments, const struct job_source *source, struct error *error)
{
    const char *gpus = options_text(arguments, "gpus");
    int64_t visible = INT_MAX;
    if (gpus && (!text_parse_integer(gpus, &visible) || visible < 1 || visible > INT_MAX))
        return error_set(error, ERROR_USAGE, "--gpus '%.40s': expected a number of GPUs, at least 1", gpus);
    struct job job;
    struct grid *grid;
    if (compose_job(source, &job, error) != 0)
        return -1;
    int code = grid_expand(&job, &grid, error);
    if (code == 0) {
        code = gpus_check(grid, (int)visible, error);
        if (code == 0)
            fputs(job.text, stdout);
        grid_free(grid);
    }
    job_free(&job);
    return code;
}

static int measure(struct launch_options *launch, struct error *error)
{
    struct dataset results = {0};
    int code = launch_run(launch, &results);
    /* Rank 0 has them in memory, unless the run has ended before it opened the file. */
    if (rank_is_first() && (code == EXIT_FINE || code == EXIT_POINTS) &&
        (results.mark.lineage || dataset_read(launch->output_path, &results, error) == 0))
        best_points_print(launch->output_path, &results);
    dataset_free(&results);
    /* mpirun --mca orte_abort_on_non_zero_status 0 does not pass it on. */
    if (rank_is_first() && code > 0 && rank_count() > 1 && getenv("OMPI_COMM_WORLD_SIZE"))
        fprintf(stderr, "warpsweep: exit code %d\n", code);
    return code;
}

static int run(const struct arguments *arguments, struct error *error)
{
    struct launch_options launch;
    bool print = options_given(arguments, "print-job");
    if (read_options(arguments, &launch, error) != 0 || job_source_read(arguments, &launch.job, error) != 0)
        return -1;
    const char *pair = options_text(arguments, "pair"); /* the same as --set, and that its values are pairs */
    if (pair && launch.job.sets < COMPOSE_EDITS_MAX)
        launch.job.set[launch.job.sets++] = pair;
    if ((!launch.output_path || !*launch.output_path) && !print)
        return error_set(error, ERROR_USAGE, "run needs a results file to write: -o FILE.h5");
    if (user_kernels_load(arguments, error) != 0)
        return -1;
    if (!print)
        return measure(&launch, error);
    return rank_is_first() ? print_job(arguments, &launch.job, error) : EXIT_FINE;
}

const struct command command_run = {
    .name = "run",
    .operands = "[JOB]",
    .operands_min = 0,
    .operands_max = 1,
    .summary = "measure every point of a job, under mpirun or srun",
    .details =
        "Each rank drives one GPU; without MPI there is one rank. In a batch job, and with --backend cuda,\n"
        "every rank needs a GPU. FILE.h5, which contains the job as it was run, can be read at any time.\n"
        "An interrupted run continues with --resume, on the back end of the file. It is an error if\n"
        "devices, timing, counters, seed or kernels differ from those of the file.\n"
        "\n"
        "--kernels a=DIR --kernels b=DIR measures two versions of your kernels in pairs: in the same\n"
        "processes and buffers, with alternating samples. --pair AXIS=A,B does so with two values of an\n"
        "axis. compare FILE.h5 then tells whether the second one is faster.\n"
        "\n"
        "Exit code: 0 all points are ok or unsupported, 1 some points failed or are missing, 2 invalid\n"
        "command line or job file, 3 the environment cannot run it.\n",
    .examples =
        "  warpsweep run jobs/quickstart.yaml -o results.h5\n"
        "  mpirun -n 4 warpsweep run job.yaml -o results.h5 --resume\n"
        "  srun --mpi=pmix warpsweep run job.yaml -o results.h5 --resume --time-limit 110min\n"
        "  warpsweep run job.yaml --set size=1MiB --set stride=1,2,4 --only 'vector<=4' -o few.h5\n"
        "  warpsweep run --kernel copy --set 'size={from: 1MiB, to: 1GiB, factor: 4}' -o copy.h5\n"
        "  warpsweep run --kernel copy --set vector=1,2,4 --print-job > copy.yaml\n"
        "  warpsweep run --kernel triad --kernels old=my_kernels --kernels new=my_kernels -o results.h5\n"
        "  warpsweep run --kernel copy --set size=1MiB --pair variant=load,gridstride -o results.h5\n",
    .options = options,
    .run = run,
};
