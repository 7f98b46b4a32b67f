/* attempts.c - an attempt is a schedule_item: `attempt` counts from 0, `avoid` is the rank that failed the
 * previous one. Its outcome is written to the results file at once: a row that is not ok with `attempts` 1
 * awaits a retry (by a later run, if this one ends before), a row with more attempts is final. health.h
 * decides which devices are trusted.
 *
 *            ok ────────────────────────────────────────────► final
 *   first ──┤─unsupported, unavailable ──► second, elsewhere ──► final; the same device is not asked again
 *            failed, crashed, timed out ──► second, elsewhere ──► final, unless that device turns out sick:
 *                                                                 then another retry elsewhere
 *   device: trusted ──4 failures in a row──► held ──the points fail elsewhere, too──► trusted
 *                                             └────they succeed elsewhere────────────► quarantined */
#include "coordinator/attempts.h"

#include <assert.h>

#include "coordinator/run_state.h"

#define CANDIDATES_MAX 64 /* ranks that are compared; a run may have thousands */

static void retry_ended(struct run *run)
{
    assert(run->retries.waiting > 0);
    run->retries.waiting--;
}

/* Where to retry: on a rank whose last result was a success, else one that is not held, else any that can run
 * the point. -1: there is no other. */
static int choose_rank(struct run *run, const struct schedule_item *item)
{
    const struct team *team = &run->team;
    int best = -1, best_rating = -1;
    for (int i = 0; i < team->count && best_rating < 2 && (i < CANDIDATES_MAX || best < 0); i++) {
        int rank = run->retries.next;
        run->retries.next = (rank + 1) % team->count;
        if (rank == item->avoid || team->member[rank].lost ||
            !schedule_suits(run->schedule, rank, item->index))
            continue;
        int rating = run->health->device[rank].last_was_good ? 2 : !team->member[rank].held;
        best = rating > best_rating ? rank : best;
        best_rating = rating > best_rating ? rating : best_rating;
    }
    return best;
}

bool attempts_has_other(struct run *run, int rank, const struct schedule_item *item)
{
    struct schedule_item elsewhere = *item;
    elsewhere.avoid = rank;
    return choose_rank(run, &elsewhere) >= 0;
}

/* Without another rank the same one retries in a fresh process. */
void attempts_pass_on(struct run *run, struct schedule_item item)
{
    int rank = choose_rank(run, &item);
    item.fresh |= rank < 0;
    if (rank < 0)
        rank = item.avoid;
    if (run->team.member[rank].lost)
        retry_ended(run); /* no rank is left: the run ends, and a later one retries */
    else
        schedule_add_repeat(run->schedule, rank, item);
}

void attempts_retry(struct run *run, int rank, struct schedule_item item)
{
    item.attempt++;
    item.avoid = rank;
    run->retries.waiting++;
    attempts_pass_on(run, item);
}

void attempts_settle(struct run *run, const struct schedule_item *item, int rank, enum status status)
{
    assert(item->attempt > 0);
    retry_ended(run);
    if (rank == item->avoid || status == STATUS_UNSUPPORTED || status == STATUS_UNAVAILABLE)
        health_forget(run->health, item->avoid, item->index);
    else
        health_settle(run->health, item->avoid, item->index, status == STATUS_OK);
}

static void hold(struct run *run, int rank, bool held)
{
    run->team.member[rank].held = held;
    trace_say(&run->trace, "coordinator: rank %d is %s", rank, held ? "suspect: held" : "trusted again");
    schedule_hold(run->schedule, rank, held);
}

bool attempts_judge(struct run *run, int rank)
{
    const struct member *member = &run->team.member[rank];
    enum health_state state = health_state_of(run->health, rank);
    if (member->lost)
        return false;
    if (member->held != (state == HEALTH_SUSPECT))
        hold(run, rank, !member->held);
    return state == HEALTH_SICK;
}

void attempts_retry_final(struct run *run, int rank, uint32_t index)
{
    struct store_point there;
    bool known = run_plan_find(&run->plan, index, &there);
    uint8_t tried = known && there.attempts > 0 ? (uint8_t)there.attempts : 0;
    run->retries.waiting++;
    attempts_pass_on(run, (struct schedule_item){.index = index, .attempt = tried, .avoid = rank});
}
