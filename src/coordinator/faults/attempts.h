/* attempts.h - a point that fails, crashes or times out is tried once more, on another device, before that is final;
 * and what follows for the devices.
 *
 * An attempt lives in the schedule_item that is handed out: `attempt` counts from 0, `avoid` is the rank that failed
 * the one before. Its outcome lives in the results file, at once: a row that is not ok and has `attempts` 1 says that
 * another attempt is to come (a later run makes it, should this one end before), a row with more is final. The
 * coordinator alone decides; health.h says whom to trust.
 *
 *            ok, unsupported ───────────────────────────────► final
 *   first ──┤
 *            failed, crashed, timed out ──► second, elsewhere ──► final, unless that device turns out to be sick:
 *                                                                 then once more, elsewhere
 *   device: trusted ──4 failures in a row──► held ──the points are bad elsewhere, too──► trusted
 *                                             └────they are good elsewhere──────────────► quarantined */
#ifndef COORDINATOR_FAULTS_ATTEMPTS_H
#define COORDINATOR_FAULTS_ATTEMPTS_H

#include "coordinator/faults/health.h"
#include "coordinator/schedule/schedule.h"
#include "coordinator/state/context.h"

struct attempts {
    struct schedule *schedule; /* not owned */
    struct health *health;
    int next;        /* rank to look at first */
    size_t waiting;  /* attempts that were decided upon and are not over */
    size_t doubtful; /* failures that a sick device had confirmed, and that were tried once more */
};

struct attempts attempts_new(struct schedule *schedule, const struct coordinator_context *context);
void attempts_free(struct attempts *attempts);

/* Another rank is to try the item, which `rank` has failed. */
void attempts_retry(struct attempts *attempts, struct coordinator_context *context, int rank,
                    struct schedule_item item);

/* An item with attempts behind it comes back from a rank that did not get to it. */
void attempts_pass_on(struct attempts *attempts, struct coordinator_context *context,
                      struct schedule_item item);

/* A further attempt is over: what that says of the rank that failed before. */
void attempts_settle(struct attempts *attempts, const struct schedule_item *item, int rank,
                     enum status status);

/* After something new is known of the rank: hold it, or release it. True when it is sick, and to be quarantined. */
bool attempts_judge(struct attempts *attempts, struct coordinator_context *context, int rank);

/* It was, and is lost by now: what it was the last to fail is not to be believed, and tried once more. */
void attempts_retry_doubtful(struct attempts *attempts, struct coordinator_context *context, int rank);

#endif
