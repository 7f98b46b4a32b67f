#include "coordinator/run_summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "coordinator/run_state.h"

/* ---- The verdict ---- */

static void note_end(struct run *run, bool unfinished)
{
    const struct progress *progress = &run->progress;
    char text[sizeof run->error.text];
    if (run->error.kind != ERROR_NONE)
        run_note(run, verdict_reason_words[REASON_stopped], run->error.text);
    else if (unfinished && !progress->total)
        run_note(run, verdict_reason_words[REASON_stopped], "before the first measurement");
    else if (unfinished) {
        snprintf(text, sizeof text, "after %" PRIu64 " of %" PRIu64 " %s", progress->done, progress->total,
                 progress->what ? progress->what : "points");
        run_note(run, verdict_reason_words[REASON_stopped], text);
    }
    /* Otherwise the number of its processes shows that a point lacks one. */
    if (run->plan.config.timing.all_devices && run->replicates_failed) {
        snprintf(text, sizeof text, "%zu of devices that measured a point again", run->replicates_failed);
        run_note(run, verdict_reason_words[REASON_processes_failed], text);
    }
}

struct verdict summary_judge(struct run *run, bool unfinished)
{
    struct store *store = run->plan.store;
    int count;
    note_end(run, unfinished);
    store_settle(store);
    struct dataset before = *store_data(store); /* as the run before this one has left it */
    before.mark.run--;
    struct verdict verdict = verdict_of(store_data(store)), was = verdict_of(&before);
    struct store_pair *pair = verdict_pairs(&verdict, 0, &count);
    if (!store_is_untouched(store) || verdict_is_good(&verdict) != verdict_is_good(&was))
        for (int i = count; i-- > 0;)
            store_note(store, pair[i].name, pair[i].value);
    free(pair);
    verdict_free(&was);
    return verdict;
}

/* ---- Messages ---- */

void summary_resume(struct run *run, size_t planned, const struct verdict *verdict)
{
    const struct launch_options *options = run->options;
    size_t rows = 0;
    for (int status = 0; status < STATUS_COUNT; status++)
        rows += verdict->status[status];
    char *command = environment_command(options->argc, options->argv), launcher[48] = "";
    bool srun = getenv("SLURM_STEP_ID") && !getenv("OMPI_COMM_WORLD_SIZE");
    if (run->team.count > 1)
        snprintf(launcher, sizeof launcher, "%s -n %d ", srun ? "srun --mpi=pmix" : "mpirun",
                 run->team.count);
    char place[64] = "before its points were known";
    if (planned)
        snprintf(place, sizeof place, "after %zu of %zu points", rows, share_count(&options->share, planned));
    progress_say(&run->progress, "stopped %s; resume with: %s%s%s", place, launcher, command,
                 options->resume ? "" : " --resume");
    free(command);
}

void summary_say(struct run *run, double start, const struct verdict *verdict)
{
    struct progress *progress = &run->progress;
    const size_t *of = verdict->status;
    char took[32], unavailable[48] = "", line[VERDICT_LINE_SIZE];
    if (of[STATUS_UNAVAILABLE])
        snprintf(unavailable, sizeof unavailable, ", %zu unavailable", of[STATUS_UNAVAILABLE]);
    text_format_seconds(clock_now() - start, took, sizeof took);
    progress_say(progress, "%zu ok, %zu unsupported, %zu failed, %zu crashed, %zu timed out%s, in %s: %s",
                 of[STATUS_OK], of[STATUS_UNSUPPORTED], of[STATUS_FAILED], of[STATUS_CRASHED],
                 of[STATUS_TIMED_OUT], unavailable, took, run->options->output_path);
    if (run->retried_ok)
        progress_say(progress, "%zu points succeeded on retry: see the column earlier_attempt",
                     run->retried_ok);
    for (size_t at = 0; (at = verdict_line(verdict, at, line)) != 0;)
        progress_say(progress, "%s", line);
    if (!verdict_is_good(verdict))
        progress_say(progress, "next: %s", verdict_step_texts[verdict->step]);
    if (run->traits.makes_up)
        progress_say(progress, "the %s back end does not measure: its times are made up", run->backend);
}
