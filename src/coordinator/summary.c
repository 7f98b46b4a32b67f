#include "coordinator/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"

void summary_resume(struct run *run, size_t planned, const uint64_t counts[STATUS_COUNT])
{
    const struct launch_options *options = run->options;
    uint64_t done = 0;
    for (int status = 0; status < STATUS_COUNT; status++)
        done += counts[status];
    char *command = environment_command(options->argc, options->argv), launcher[48] = "";
    bool srun = getenv("SLURM_STEP_ID") && !getenv("OMPI_COMM_WORLD_SIZE");
    if (run->team.count > 1)
        snprintf(launcher, sizeof launcher, "%s -n %d ", srun ? "srun --mpi=pmix" : "mpirun",
                 run->team.count);
    progress_say(&run->progress, "stopped after %" PRIu64 " of %zu points; resume with: %s%s%s", done,
                 share_count(&options->share, planned), launcher, command,
                 options->resume ? "" : " --resume");
    free(command);
}

static void print_faults(struct run *run)
{
    struct progress *progress = &run->progress;
    if (run->retried_ok)
        progress_say(progress, "%zu points succeeded on retry: see the column earlier_attempt",
                     run->retried_ok);
    if (run->quarantined || run->silent)
        progress_say(progress, "%d ranks were quarantined, and %d lost without a heartbeat, as said above",
                     run->quarantined, run->silent);
    if (canaries_failed(&run->canaries))
        progress_say(progress, "%zu repetitions of canaries failed: do not trust the device that failed them",
                     canaries_failed(&run->canaries));
    if (run->counters_failed)
        progress_say(progress,
                     "%zu points lack counters because counting failed: --resume --retry-failed retries them",
                     run->counters_failed);
    if (run->uncounted)
        progress_say(progress, "%zu points are timed but not counted: --resume counts them", run->uncounted);
}

void summary_say(struct run *run, double start, const uint64_t counts[STATUS_COUNT])
{
    struct progress *progress = &run->progress;
    const char *path = run->options->output_path;
    char took[32], unavailable[48] = "";
    if (counts[STATUS_UNAVAILABLE])
        snprintf(unavailable, sizeof unavailable, ", %" PRIu64 " unavailable", counts[STATUS_UNAVAILABLE]);
    text_format_seconds(clock_now() - start, took, sizeof took);
    progress_say(progress,
                 "%" PRIu64 " ok, %" PRIu64 " unsupported, %" PRIu64 " failed, %" PRIu64 " crashed, %" PRIu64
                 " timed out%s, in %s: %s",
                 counts[STATUS_OK], counts[STATUS_UNSUPPORTED], counts[STATUS_FAILED], counts[STATUS_CRASHED],
                 counts[STATUS_TIMED_OUT], unavailable, took, path);
    if (run->replicates_failed)
        progress_say(progress, "%zu replicates failed: their points have fewer processes than requested",
                     run->replicates_failed);
    print_faults(run);
    if (run->traits.makes_up)
        progress_say(progress, "the %s back end does not measure: its times are made up", run->backend);
}

int summary_exit_code(const struct run *run, bool unfinished, const uint64_t counts[STATUS_COUNT])
{
    if (run->error.kind != ERROR_NONE)
        return (int)run->error.kind;
    return unfinished || run->quarantined || run->silent || run->replicates_failed ||
           canaries_failed(&run->canaries) || run->counters_failed || run->uncounted ||
           counts[STATUS_FAILED] || counts[STATUS_CRASHED] || counts[STATUS_TIMED_OUT];
}
