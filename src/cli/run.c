/* run - measure a job's points. All the work is in launch/. */
#include "cli/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/dry_run.h"
#include "cli/junit.h"
#include "cli/live.h"
#include "cli/options/job_options.h"
#include "cli/options/user_kernels.h"
#include "core/metric.h"
#include "launch/launch.h"
#include "launch/rank.h"
#include "protocol/traits.h"

static const char *const backends[] = {
    "auto",
#define X(name) #name,
    BACKENDS_WITH_CUDA(X) BACKENDS_EVERYWHERE(X)
#undef X
        NULL,
};
static const char *const schedules[] = {"dynamic", "static", NULL};

static const char *const remeasured[] = {"counters", NULL};

static const struct command_option options[] = {
    JOB_OPTIONS,
    {"print-job", 0, NULL, NULL, NULL, "print the job file that all this stands for; measure nothing"},
    {"dry-run", 'n', NULL, NULL, NULL,
     "tell points, order, ranks, time, memory and what is unsupported; measure nothing"},
    {"output", 'o', "FILE.h5", NULL, NULL, "the results file to write"},
    {"live", 'l', NULL, NULL, NULL, "print each point's row on stdout when it is measured and counted"},
    {"columns", 'c', "NAME,NAME", NULL, NULL, "with --live: what to print, as table has it"},
    {"junit", 0, "FILE", NULL, NULL, "when it has ended, write the points as JUnit XML, for CI"},
    {"resume", 0, NULL, NULL, NULL, "go on with what the results file holds, or start it"},
    {"retry-failed", 0, NULL, NULL, NULL,
     "with --resume: measure failed, crashed and timed-out points again"},
    {"append-device", 0, NULL, NULL, NULL,
     "with --resume: devices of another product may add their rows to the file's"},
    {"remeasure", 0, "WHAT", NULL, remeasured,
     "with --resume: measure again the points whose counters are missing or others"},
    {"backend", 0, "NAME", "auto", backends, "what to measure on"},
    {"counters", 0, "SET", NULL, metric_sets, "hardware counters to read, in place of the job's"},
    {"share", 0, "K/N", NULL, NULL,
     "measure share K of N of the points, as a task of an array; merge puts the files together"},
    {"schedule", 0, "HOW", "dynamic", schedules, "who measures what"},
    {"seed", 0, "N", NULL, NULL, "seed of inputs and orders; the job's own hash otherwise"},
    {"time-limit", 0, "DURATION", NULL, NULL, "stop cleanly after this long: 30min, 6h, 01:30:00"},
    {"silence", 0, "DURATION", NULL, NULL, "give up a rank that shows no sign of life for so long (30s)"},
    {"verbose", 'v', NULL, NULL, NULL, "tell on stderr what each rank does, and when"},
    OPTION_KERNELS,
    {0},
};

static int read_durations(const struct arguments *arguments, struct launch_options *launch,
                          struct error *error)
{
    const char *limit = options_text(arguments, "time-limit"), *silence = options_text(arguments, "silence");
    if (limit && (!text_parse_seconds(limit, &launch->time_limit) || !(launch->time_limit > 0)))
        return error_set(error, ERROR_USAGE,
                         "--time-limit '%.40s' is not a duration; expected 90s, 30min, 6h or 01:30:00",
                         limit);
    if (silence && (!text_parse_seconds(silence, &launch->silence) || !(launch->silence >= 1)))
        return error_set(error, ERROR_USAGE, "--silence '%.40s' is not a duration of a second or more",
                         silence);
    return 0;
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
        .static_schedule = !strcmp(options_text(arguments, "schedule"), "static"),
        .counters = options_text(arguments, "counters"),
        .verbose = options_given(arguments, "verbose"),
        .argc = arguments->argc,
        .argv = arguments->argv,
    };
    const char *seed = options_text(arguments, "seed"), *share = options_text(arguments, "share");
    if (options_given(arguments, "columns") && !options_given(arguments, "live"))
        return error_set(error, ERROR_USAGE, "--columns goes with --live");
    if (launch->retry_failed && !launch->resume)
        return error_set(error, ERROR_USAGE, "--retry-failed goes with --resume");
    if (share && !share_parse(share, &launch->share))
        return error_set(error, ERROR_USAGE,
                         "--share '%.40s' is not K/N, a whole number K from 1 to N and N at most %d: 3/8",
                         share, SHARES_MAX);
    if ((launch->append_device || launch->remeasure_counters) && !launch->resume)
        return error_set(error, ERROR_USAGE, "--append-device and --remeasure go with --resume");
    if (seed) {
        int64_t value;
        if (!text_parse_integer(seed, &value) || value < 0)
            return error_set(error, ERROR_USAGE, "--seed '%.40s' is not a whole number from 0 on", seed);
        launch->seed_given = true;
        launch->seed = (uint64_t)value;
    }
    return read_durations(arguments, launch, error);
}

static int print_job(const struct job_source *source, struct error *error)
{
    struct job job;
    if (compose_job(source, &job, error) != 0)
        return -1;
    fputs(job.text, stdout);
    job_free(&job);
    return EXIT_FINE;
}

/* The JUnit file is opened before anything is measured: that it cannot be written is found in time. */
static int open_junit(const char *path, FILE **file, struct error *error)
{
    *file = NULL;
    if (!path || !rank_is_first())
        return 0;
    *file = fopen(path, "we");
    return *file ? 0 : error_set(error, ERROR_ENVIRONMENT, "--junit %.400s: %s", path, strerror(errno));
}

static int measure(const struct arguments *arguments, struct launch_options *launch, struct error *error)
{
    FILE *junit;
    struct live live = {.columns = options_text(arguments, "columns")};
    const struct launch_live observer = live_observer(&live);
    if (open_junit(options_text(arguments, "junit"), &junit, error) != 0)
        return -1;
    launch->live = options_given(arguments, "live") ? &observer : NULL;
    int code = launch_run(launch);
    launch->live = NULL; /* it ends here */
    bool told = junit && code <= EXIT_POINTS;
    if (told && junit_write(junit, launch->output_path, error) != 0)
        code = -1;
    if (junit)
        fclose(junit);
    if (junit && !told)
        remove(options_text(arguments, "junit")); /* there was no run to tell of */
    live_free(&live);
    return code;
}

static int run(const struct arguments *arguments, struct error *error)
{
    struct launch_options launch;
    bool print = options_given(arguments, "print-job"), dry = options_given(arguments, "dry-run");
    if (read_options(arguments, &launch, error) != 0 || job_source_read(arguments, &launch.job, error) != 0)
        return -1;
    if (!launch.output_path && !print && !dry)
        return error_set(error, ERROR_USAGE, "run needs a results file to write: -o FILE.h5");
    if (user_kernels_load(arguments, error) != 0)
        return -1;
    if ((print || dry) && !rank_is_first())
        return EXIT_FINE;
    if (print)
        return print_job(&launch.job, error);
    return dry ? dry_run(&launch, rank_count(), error) : measure(arguments, &launch, error);
}

const struct command command_run = {
    .name = "run",
    .operands = "[JOB]",
    .least = 0,
    .most = 1,
    .summary = "measure every point of a job, under mpirun or srun",
    .details =
        "Each rank drives one GPU; started alone it is one rank. FILE.h5 is whole at any moment: look at it\n"
        "with status, table or plot while the run goes on. Interrupted runs go on with --resume, on the "
        "file's\n"
        "back end; when devices, timing, counters, seed or kernels are not the file's, it stops and says "
        "so.\n"
        "Without a job file, --kernel makes one of a single sweep; --set stands in the place of what the job "
        "says\n"
        "of an axis, --only chooses among its points. The results file holds the job as it was run.\n"
        "In a batch job, or with --backend cuda, a rank without a GPU is an error.\n\n"
        "Exit code: 0 all points ok or unsupported by design, 1 some points failed or are left,\n"
        "2 bad usage or job file, 3 the environment cannot run it.\n",
    .examples = "  warpsweep run jobs/quickstart.yaml -o results.h5\n"
                "  mpirun -n 4 warpsweep run job.yaml -o results.h5 --resume\n"
                "  srun --mpi=pmix warpsweep run job.yaml -o results.h5 --resume --time-limit 110min\n"
                "  warpsweep run job.yaml -o host.h5 --backend host\n"
                "  warpsweep run job.yaml --set size=1GiB --set stride=1,2,4 --only 'vector<=4' --dry-run\n"
                "  warpsweep run --kernel copy --set 'size={from: 1MiB, to: 1GiB, factor: 4}' -o copy.h5\n"
                "  warpsweep run --kernel copy --set vector=1,2,4 --print-job > copy.yaml\n",
    .options = options,
    .run = run,
};
