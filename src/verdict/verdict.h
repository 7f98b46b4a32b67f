/* verdict.h - is everything in a results file that was asked for, and good? `run`, `status` and `merge` end
 * with this answer, and store it in /environment, where readers find it (docs/status.md). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/grid.h"
#include "plan/job.h"
#include "store/dataset/dataset.h"

/* What to do next, the most urgent first: X(word, text). */
#define VERDICT_STEPS(X)                                                                                     \
    X(wait, "a run is writing the file: wait for its end")                                                   \
    X(resume, "run again with --resume to measure what is left")                                             \
    X(retry_failed, "run with --resume --retry-failed to measure again what failed")                         \
    X(check_devices, "check the devices, then run with --resume to confirm the file")                        \
    X(nothing, "nothing is left to do")

enum verdict_step {
#define X(word, text) STEP_##word,
    VERDICT_STEPS(X)
#undef X
        STEP_COUNT
};
extern const char *const verdict_step_words[], *const verdict_step_texts[];

/* Why a file is not good: X(word, step). Files contain the words. Reasons from `not_closed` on are incidents,
 * which rows do not show: a run, or a merge of such files, notes them in /environment under these words. They
 * count until a later run of the file ends. */
#define VERDICT_REASONS(X)                                                                                   \
    X(missing, resume)               /* points that the file lacks */                                        \
    X(retry, resume)                 /* points that failed once, whose retry is due */                       \
    X(processes, resume)             /* points with fewer processes than the job asks for */                 \
    X(counters, resume)              /* points that are timed, but not counted */                            \
    X(failed, retry_failed)          /* points that failed, crashed or timed out */                          \
    X(counters_failed, retry_failed) /* points whose counting failed */                                      \
    X(energy_failed, retry_failed)   /* points whose energy measurement failed */                            \
    X(not_closed, resume)            /* a run is writing the file, or was killed */                          \
    X(stopped, resume)               /* the run ended before it had measured everything */                   \
    X(processes_failed, resume)      /* with `devices: all`: devices that could not measure a point again */ \
    X(canaries, check_devices)       /* repetitions that failed although the point is good */                \
    X(quarantined, check_devices)    /* a rank whose device failed points that are good elsewhere */         \
    X(lost, check_devices)           /* a rank that lost its worker for good */                              \
    X(silent, check_devices)         /* a rank without a heartbeat */                                        \
    X(peaks, check_devices)          /* a rank whose worker died when it measured the peaks */

enum verdict_reason {
#define X(word, step) REASON_##word,
    VERDICT_REASONS(X)
#undef X
        REASON_COUNT
};
extern const char *const verdict_reason_words[];

struct verdict_item {
    enum verdict_reason reason;
    size_t count;
    char *text; /* owned; it follows the word of the reason and a colon */
};

struct verdict {
    struct verdict_item *item; /* owned; why the file is not good; none: it is */
    size_t items, capacity;
    struct job_outline job;
    struct share share;
    size_t status[STATUS_COUNT];           /* points of each */
    size_t counters[COUNTERS_STATE_COUNT]; /* points that are ok, by the state of their counters */
    size_t done;                           /* points with all their processes and counters, failed ones too */
    size_t left;                           /* other points of the job, or of the file's share of it */
    size_t missing;                        /* of those left: without a row */
    double lacking;                        /* processes that are left, those of missing points too */
    enum verdict_step step;
};

/* Judge a file as its latest run has left it. verdict_free releases the result. */
struct verdict verdict_of(const struct dataset *dataset);
void verdict_free(struct verdict *verdict);

/* Why the file is not closed; NULL: it is. */
const char *verdict_cut(const struct dataset *dataset);

static inline bool verdict_is_good(const struct verdict *verdict)
{
    return !verdict->items;
}

/* A line for each reason: its word and text, and how many more texts it has. Begin at 0; returns where the
 * next line begins, 0 after the last one. */
#define VERDICT_LINE_SIZE 1200
size_t verdict_line(const struct verdict *verdict, size_t at, char line[VERDICT_LINE_SIZE]);

/* Whether a run, or a merge, has to note the reason. */
static inline bool verdict_is_incident(enum verdict_reason reason)
{
    return reason >= REASON_not_closed;
}

/* The verdict as pairs of /environment: "verdict", and "verdict.REASON" with the text of each reason. The
 * texts belong to the verdict; the caller frees the array. */
struct store_pair *verdict_pairs(const struct verdict *verdict, int run, int *count);
