#include "coordinator/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "coordinator/state/launcher.h"

void summary_resume(struct coordinator_context *context, size_t planned, const uint64_t counts[STATUS_COUNT])
{
    const struct launch_options *options = context->options;
    uint64_t done = 0;
    for (int status = 0; status < STATUS_COUNT; status++)
        done += counts[status];
    char *command = environment_command(options->argc, options->argv);
    char *launcher = launcher_command(context->team.count, options->argc, options->argv);
    progress_say(&context->progress, "stopped after %" PRIu64 " of %zu points; resume with: %s%s%s", done,
                 share_count(&options->share, planned), launcher, command,
                 options->resume ? "" : " --resume");
    free(launcher);
    free(command);
}

/* Print the faults of the run. */
static void print_faults(struct coordinator_context *context, const struct measuring *m)
{
    struct progress *progress = &context->progress;
    if (m->retried_ok)
        progress_say(progress, "%zu points succeeded on retry: see the column earlier_attempt",
                     m->retried_ok);
    for (int rank = 0; rank < context->team.count && (context->quarantined || context->silent); rank++) {
        const struct member *member = &context->team.member[rank];
        if (member->quarantined || member->silent)
            progress_say(progress, "rank %d on %s was %s", rank, member->host,
                         member->silent ? "lost: no heartbeat" : "quarantined: its device is sick");
    }
    if (m->attempts.doubtful)
        progress_say(progress, "%zu failures that only a quarantined device had confirmed were retried",
                     m->attempts.doubtful);
    if (m->canaries_failed)
        progress_say(progress, "%zu repetitions of canaries failed: do not trust the device that failed them",
                     m->canaries_failed);
    if (m->counters_failed)
        progress_say(progress,
                     "%zu points lack counters because counting failed: --resume --retry-failed retries them",
                     m->counters_failed);
    if (m->uncounted)
        progress_say(progress, "%zu points are timed but not counted: --resume counts them", m->uncounted);
}

void summary_say(struct coordinator_context *context, const struct measuring *measuring, double start,
                 const uint64_t counts[STATUS_COUNT])
{
    struct progress *progress = &context->progress;
    const char *path = context->options->output_path;
    char took[32];
    text_format_seconds(clock_now() - start, took, sizeof took);
    progress_say(progress,
                 "%" PRIu64 " ok, %" PRIu64 " unsupported, %" PRIu64 " failed, %" PRIu64 " crashed, %" PRIu64
                 " timed out, in %s: %s",
                 counts[STATUS_OK], counts[STATUS_UNSUPPORTED], counts[STATUS_FAILED], counts[STATUS_CRASHED],
                 counts[STATUS_TIMED_OUT], took, path);
    if (measuring->replicates_failed)
        progress_say(progress, "%zu replicates failed: their points have fewer processes than requested",
                     measuring->replicates_failed);
    print_faults(context, measuring);
    if (context->traits.makes_up)
        progress_say(progress, "the %s back end does not measure: its times are made up", context->backend);
    if (counts[STATUS_OK]) {
        struct text quoted = {0};
        text_add_quoted(&quoted, path);
        progress_say(progress, "draw it with: warpsweep plot %s -o figures", quoted.data);
        text_free(&quoted);
    }
}

int summary_exit_code(const struct coordinator_context *context, const struct measuring *measuring,
                      bool unfinished, const uint64_t counts[STATUS_COUNT])
{
    if (context->error.kind != ERROR_NONE)
        return (int)context->error.kind;
    return unfinished || context->quarantined || context->silent || measuring->replicates_failed ||
           measuring->canaries_failed || measuring->counters_failed || measuring->uncounted ||
           counts[STATUS_FAILED] || counts[STATUS_CRASHED] || counts[STATUS_TIMED_OUT];
}

void summary_count_on_disk(const char *path, uint64_t counts[STATUS_COUNT])
{
    struct dataset dataset;
    memset(counts, 0, STATUS_COUNT * sizeof *counts);
    if (dataset_read_columns(path, false, &dataset, NULL) != 0)
        return;
    const struct frame *results = &dataset.results;
    int status = frame_find(results, COLUMN(status)), repeat = frame_find(results, COLUMN(repeat));
    for (size_t row = 0; row < results->rows; row++)
        for (int s = 0; s < STATUS_COUNT && frame_cell(results, row, repeat)->integer == 0; s++)
            counts[s] += !strcmp(frame_cell(results, row, status)->text, status_words[s]);
    dataset_free(&dataset);
}
