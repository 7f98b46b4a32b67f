/* attempts.h - retry a point that failed, crashed or timed out once, on another device, and judge the devices by it.
 *
 * An attempt is a schedule_item: `attempt` counts from 0, `avoid` is the rank that failed the previous one. Its outcome is
 * written to the results file at once: a row that is not ok with `attempts` 1 awaits a retry (by a later run, if this one
 * ends before), a row with more attempts is final. health.h decides which devices are trusted.
 *
 *            ok, unsupported ───────────────────────────────► final
 *   first ──┤
 *            failed, crashed, timed out ──► second, elsewhere ──► final, unless that device turns out to be sick:
 *                                                                 then another retry elsewhere
 *   device: trusted ──4 failures in a row──► held ──the points fail elsewhere, too──► trusted
 *                                             └────they succeed elsewhere────────────► quarantined */
#pragma once

#include "coordinator/faults/health.h"
#include "coordinator/schedule/schedule.h"
#include "coordinator/state/context.h"

struct attempts {
    struct schedule *schedule; /* not owned */
    struct health *health;
    int next;        /* rank to consider first */
    size_t waiting;  /* retries that are not finished */
    size_t doubtful; /* failures confirmed only by a sick device, which are retried */
};

struct attempts attempts_new(struct schedule *schedule, const struct coordinator_context *context);
void attempts_free(struct attempts *attempts);

/* Let another rank retry the item that `rank` has failed. */
void attempts_retry(struct attempts *attempts, struct coordinator_context *context, int rank,
                    struct schedule_item item);

/* Reassign a retry that a rank has returned unfinished. */
void attempts_pass_on(struct attempts *attempts, struct coordinator_context *context,
                      struct schedule_item item);

/* A retry by `rank` has ended: update the health of the rank that failed before. */
void attempts_settle(struct attempts *attempts, const struct schedule_item *item, int rank,
                     enum status status);

/* Hold or release the rank by its current health. True if it is sick and must be quarantined. */
bool attempts_judge(struct attempts *attempts, struct coordinator_context *context, int rank);

/* The rank is quarantined and lost: retry the points whose failure it alone has confirmed. */
void attempts_retry_doubtful(struct attempts *attempts, struct coordinator_context *context, int rank);
