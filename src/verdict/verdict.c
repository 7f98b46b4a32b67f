#include "verdict/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/key_set.h"
#include "base/memory.h"

#define X(word, text) #word,
const char *const verdict_step_words[] = {VERDICT_STEPS(X) NULL};
const char *const verdict_reason_words[] = {VERDICT_REASONS(X) NULL};
#undef X
#define X(word, text) text,
const char *const verdict_step_texts[] = {VERDICT_STEPS(X) NULL};
#undef X

static const enum verdict_step steps[] = {
#define X(word, step) STEP_##step,
    VERDICT_REASONS(X)
#undef X
};

__attribute__((format(printf, 4, 5))) static void add(struct verdict *verdict, enum verdict_reason reason,
                                                      size_t count, const char *format, ...)
{
    va_list arguments;
    char text[1024];
    if (!count)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    verdict->item = memory_grow(verdict->item, verdict->items, &verdict->capacity, sizeof *verdict->item);
    verdict->item[verdict->items++] = (struct verdict_item){reason, count, memory_text(text)};
    if (steps[reason] < verdict->step)
        verdict->step = steps[reason];
}

/* ---- Points ---- */

/* Points by reason. */
struct tally {
    size_t of[REASON_COUNT];
};

static bool begins_with(const char *text, const char *word)
{
    return !strncmp(text, word, strlen(word));
}

/* The state of a point's counters, of which the row may give details: "missing: reason". */
static enum counters_state counters_of(const struct dataset *dataset, size_t row)
{
    const char *text = frame_find_text(&dataset->results, row, COLUMN(counters_status));
    for (int state = COUNTERS_STATE_COUNT - 1; state > COUNTERS_NONE; state--)
        if (begins_with(text, counters_words[state]))
            return (enum counters_state)state;
    return COUNTERS_NONE;
}

/* Count a point that is ok. False if something of it is left to measure. */
static bool take_good(struct verdict *verdict, const struct dataset *dataset, size_t row, struct tally *tally)
{
    double processes = frame_find_real(&dataset->results, row, COLUMN(processes));
    enum counters_state counters = counters_of(dataset, row);
    /* With `devices: all` a device that is absent may lack some: the run has noted what it has not
     * measured. */
    bool partial = !verdict->job.all_devices && processes >= 1 && processes < verdict->job.replicates,
         pending = counters == COUNTERS_PENDING;
    verdict->counters[counters]++;
    verdict->lacking += partial ? verdict->job.replicates - processes : 0;
    tally->of[REASON_processes] += partial;
    tally->of[REASON_counters] += pending && !partial;
    tally->of[REASON_counters_failed] += counters == COUNTERS_FAILED;
    tally->of[REASON_energy_failed] +=
        begins_with(frame_find_text(&dataset->results, row, COLUMN(energy_status)), ENERGY_FAILED);
    return !partial && !pending;
}

static void take_point(struct verdict *verdict, const struct dataset *dataset, size_t row,
                       struct tally *tally)
{
    enum status status = dataset_status(dataset, row);
    bool bad = status_is_bad(status),
         retry = bad && frame_find_integer(&dataset->results, row, COLUMN(attempts)) == 1;
    verdict->status[status]++;
    tally->of[REASON_retry] += retry;
    tally->of[REASON_failed] += bad && !retry;
    verdict->done += !retry && (status != STATUS_OK || take_good(verdict, dataset, row, tally));
}

/* Whether the row is a repetition of a canary that has failed in the latest run. */
static bool is_failed_canary(const struct dataset *dataset, size_t row)
{
    return !dataset_is_point(dataset, row) && status_is_bad(dataset_status(dataset, row)) &&
           frame_find_integer(&dataset->results, row, COLUMN(run)) == dataset->mark.run;
}

static uint64_t id_of(const struct dataset *dataset, size_t row)
{
    return dataset_key(dataset, frame_row(&dataset->results, row)).id;
}

/* Failed repetitions of canaries that have succeeded somewhere: their kernels are not at fault. */
static size_t count_canaries(const struct dataset *dataset)
{
    struct keys failed = {0}, good = {0};
    size_t rows = dataset->results.rows, count = 0;
    for (size_t row = 0; row < rows; row++)
        if (is_failed_canary(dataset, row))
            keys_add(&failed, id_of(dataset, row));
    for (size_t row = 0; failed.count && row < rows; row++)
        if (dataset_status(dataset, row) == STATUS_OK && keys_have(&failed, id_of(dataset, row)))
            keys_add(&good, id_of(dataset, row));
    for (size_t row = 0; good.count && row < rows; row++)
        count += is_failed_canary(dataset, row) && keys_have(&good, id_of(dataset, row));
    keys_free(&failed);
    keys_free(&good);
    return count;
}

static void count_rows(struct verdict *verdict, const struct dataset *dataset, struct tally *tally)
{
    const char *share = dataset_environment(dataset, "share");
    size_t begun = 0, planned;
    if (share)
        share_parse(share, &verdict->share);
    for (size_t row = 0; row < dataset->results.rows; row++)
        if (dataset_is_point(dataset, row)) {
            take_point(verdict, dataset, row, tally);
            begun++;
        }
    planned = dataset_noted(dataset, ENVIRONMENT_POINTS, share_count(&verdict->share, dataset->planned)) +
              dataset_noted(dataset, ENVIRONMENT_OTHERS, 0);
    verdict->missing = tally->of[REASON_missing] = planned > begun ? planned - begun : 0;
    verdict->left = verdict->missing + begun - verdict->done;
    verdict->lacking += (double)(verdict->missing + tally->of[REASON_retry]) * verdict->job.replicates;
}

/* ---- The verdict ---- */

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* Texts go on from the word of the reason and a colon. */
static void explain_points(struct verdict *verdict, const struct tally *tally)
{
    const size_t *of = tally->of, processes = of[REASON_processes], counters = of[REASON_counters];
    static const enum verdict_reason plain[] = {REASON_failed, REASON_counters_failed, REASON_energy_failed};
    add(verdict, REASON_missing, of[REASON_missing], "%zu of %zu points", of[REASON_missing],
        verdict->done + verdict->left);
    add(verdict, REASON_retry, of[REASON_retry], "%zu point%s that failed once", of[REASON_retry],
        plural(of[REASON_retry]));
    add(verdict, REASON_processes, processes, "%zu point%s with fewer than %u processes", processes,
        plural(processes), verdict->job.replicates);
    add(verdict, REASON_counters, counters, "%zu point%s, timed but not counted", counters, plural(counters));
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        add(verdict, plain[i], of[plain[i]], "%zu point%s", of[plain[i]], plural(of[plain[i]]));
}

/* What the latest run has noted under the word of the reason, the earliest first. */
static void explain_notes(struct verdict *verdict, const struct dataset *dataset, enum verdict_reason reason)
{
    for (int i = dataset->environment_count; i-- > 0;) {
        const struct store_pair *pair = &dataset->environment[i];
        if (pair->run == dataset->mark.run && !strcmp(pair->name, verdict_reason_words[reason]))
            add(verdict, reason, 1, "%s", pair->value);
    }
}

const char *verdict_cut(const struct dataset *dataset)
{
    if (dataset->cut_off)
        return "the run was killed, and the journal with its last results is missing: copy FILE.h5.journal "
               "beside FILE.h5";
    if (!dataset->running)
        return NULL;
    return dataset->writer ? "a run is writing the file" : "the run was killed, or is on another node";
}

static void explain_incidents(struct verdict *verdict, const struct dataset *dataset)
{
    size_t canaries = count_canaries(dataset);
    const char *cut = verdict_cut(dataset);
    if (cut)
        add(verdict, REASON_not_closed, 1, "%s", cut);
    for (int reason = REASON_not_closed; reason < REASON_COUNT; reason++) {
        if (reason == REASON_canaries)
            add(verdict, REASON_canaries, canaries,
                "%zu repetition%s failed: do not trust the device that failed them", canaries,
                plural(canaries));
        explain_notes(verdict, dataset, (enum verdict_reason)reason);
    }
}

struct verdict verdict_of(const struct dataset *dataset)
{
    struct verdict verdict = {
        .job = job_outline(dataset->job, dataset_environment(dataset, "pairs") != NULL),
        .step = STEP_nothing,
    };
    struct tally tally = {0};
    count_rows(&verdict, dataset, &tally);
    explain_points(&verdict, &tally);
    explain_incidents(&verdict, dataset);
    if (dataset->writer)
        verdict.step = STEP_wait;
    return verdict;
}

size_t verdict_line(const struct verdict *verdict, size_t at, char line[VERDICT_LINE_SIZE])
{
    const struct verdict_item *item = verdict->item + at;
    size_t next = at;
    if (at == verdict->items)
        return 0;
    while (next < verdict->items && verdict->item[next].reason == item->reason)
        next++;
    int length = snprintf(line, VERDICT_LINE_SIZE, "%s: %s", verdict_reason_words[item->reason], item->text);
    if (next > at + 1)
        snprintf(line + length, VERDICT_LINE_SIZE - (size_t)length, " (and %zu more)", next - at - 1);
    return next;
}

void verdict_free(struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->items; i++)
        free(verdict->item[i].text);
    free(verdict->item);
    *verdict = (struct verdict){0};
}

struct store_pair *verdict_pairs(const struct verdict *verdict, int run, int *count)
{
    static const char *const names[] = {
#define X(word, step) ENVIRONMENT_VERDICT "." #word,
        VERDICT_REASONS(X)
#undef X
    };
    struct store_pair *pair = memory_new(verdict->items + 1, sizeof *pair);
    *count = 0;
    pair[(*count)++] = (struct store_pair){(char *)ENVIRONMENT_VERDICT,
                                           (char *)(verdict_is_good(verdict) ? "good" : "not good"), run};
    for (size_t i = 0; i < verdict->items; i++)
        pair[(*count)++] =
            (struct store_pair){(char *)names[verdict->item[i].reason], verdict->item[i].text, run};
    return pair;
}
