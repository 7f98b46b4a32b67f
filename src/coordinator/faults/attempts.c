#include "coordinator/faults/attempts.h"

#include <assert.h>

#define CANDIDATES_MAX 64 /* ranks that are compared; a run may have thousands */

struct attempts attempts_new(struct schedule *schedule, const struct coordinator_context *context)
{
    return (struct attempts){.schedule = schedule,
                             .health = health_new(context->team.count, grid_count(context->plan.grid))};
}

void attempts_free(struct attempts *attempts)
{
    health_free(attempts->health);
    *attempts = (struct attempts){0};
}

static void retry_ended(struct attempts *attempts)
{
    assert(attempts->waiting > 0);
    attempts->waiting--;
}

/* Where to retry: on a rank whose last result was a success, else one that is not held, else any that can run the point. -1:
 * there is no other. */
static int choose_rank(struct attempts *attempts, const struct coordinator_context *context,
                       const struct schedule_item *item)
{
    const struct team *team = &context->team;
    int best = -1, best_rating = -1;
    for (int i = 0; i < team->count && best_rating < 2 && (i < CANDIDATES_MAX || best < 0); i++) {
        int rank = attempts->next;
        attempts->next = (rank + 1) % team->count;
        if (rank == item->avoid || team->member[rank].lost ||
            !schedule_suits(attempts->schedule, rank, item->index))
            continue;
        int rating = health_last_was_good(attempts->health, rank) ? 2 : !team->member[rank].held;
        best = rating > best_rating ? rank : best;
        best_rating = rating > best_rating ? rating : best_rating;
    }
    return best;
}

/* Without another rank the same one retries in a fresh process. */
void attempts_pass_on(struct attempts *attempts, struct coordinator_context *context,
                      struct schedule_item item)
{
    int rank = choose_rank(attempts, context, &item);
    item.fresh |= rank < 0;
    if (rank < 0)
        rank = item.avoid;
    if (context->team.member[rank].lost)
        retry_ended(attempts); /* no rank is left: the run ends, and a later one retries */
    else
        schedule_add_repeat(attempts->schedule, rank, item);
}

void attempts_retry(struct attempts *attempts, struct coordinator_context *context, int rank,
                    struct schedule_item item)
{
    item.attempt++;
    item.avoid = rank;
    attempts->waiting++;
    attempts_pass_on(attempts, context, item);
}

void attempts_settle(struct attempts *attempts, const struct schedule_item *item, int rank,
                     enum status status)
{
    assert(item->attempt > 0);
    retry_ended(attempts);
    if (rank == item->avoid || status == STATUS_UNSUPPORTED || status == STATUS_UNAVAILABLE)
        health_forget(attempts->health, item->avoid, item->index);
    else
        health_settle(attempts->health, item->avoid, item->index, status == STATUS_OK);
}

static void hold(struct attempts *attempts, struct coordinator_context *context, int rank, bool held)
{
    context->team.member[rank].held = held;
    trace_say(&context->trace, "coordinator: rank %d is %s", rank, held ? "suspect: held" : "trusted again");
    schedule_hold(attempts->schedule, rank, held);
}

bool attempts_judge(struct attempts *attempts, struct coordinator_context *context, int rank)
{
    const struct member *member = &context->team.member[rank];
    enum health_state state = health_state_of(attempts->health, rank);
    if (member->lost)
        return false;
    if (member->held != (state == HEALTH_SUSPECT))
        hold(attempts, context, rank, !member->held);
    return state == HEALTH_SICK;
}

void attempts_retry_doubtful(struct attempts *attempts, struct coordinator_context *context, int rank)
{
    size_t count;
    const uint32_t *index = health_doubtful(attempts->health, rank, &count);
    for (size_t i = 0; i < count; i++) {
        struct store_point there;
        bool known = store_find(context->plan.store, grid_id(context->plan.grid, index[i]), &there);
        uint8_t tried = known && there.attempts > 0 ? (uint8_t)there.attempts : 0;
        attempts->waiting++;
        attempts->doubtful++;
        attempts_pass_on(attempts, context,
                         (struct schedule_item){.index = index[i], .attempt = tried, .avoid = rank});
    }
}
