#include "coordinator/faults/attempts.h"

#include "base/memory.h"

#define LOOK_AT_MOST 64 /* ranks, for the best of them: there may be thousands */

struct attempts attempts_new(struct schedule *schedule, const struct desk *desk)
{
    return (struct attempts){.schedule = schedule,
                             .health = health_new(desk->team.count, grid_count(desk->agenda.grid))};
}

void attempts_free(struct attempts *attempts)
{
    health_free(attempts->health);
    *attempts = (struct attempts){0};
}

/* Where to try: a rank whose last result was good, else one that is not held, else any; -1: there is no other. */
static int choose_rank(struct attempts *attempts, const struct desk *desk, int avoid)
{
    const struct team *team = &desk->team;
    int best = -1, best_worth = -1;
    for (int i = 0; i < team->count && best_worth < 2 && (i < LOOK_AT_MOST || best < 0); i++) {
        int rank = attempts->next;
        attempts->next = (rank + 1) % team->count;
        if (rank == avoid || team->member[rank].lost)
            continue;
        int worth = health_has_proved(attempts->health, rank) ? 2 : !team->member[rank].held;
        best = worth > best_worth ? rank : best;
        best_worth = worth > best_worth ? worth : best_worth;
    }
    return best;
}

/* Without another rank the same one tries again, in a fresh process. */
void attempts_pass_on(struct attempts *attempts, struct desk *desk, struct schedule_item item)
{
    int rank = choose_rank(attempts, desk, item.avoid);
    item.fresh = rank < 0;
    if (rank < 0)
        rank = item.avoid;
    if (desk->team.member[rank].lost)
        attempts->waiting--; /* nobody is left: the run ends, and a later one tries */
    else
        schedule_add_repeat(attempts->schedule, rank, item);
}

void attempts_again(struct attempts *attempts, struct desk *desk, int rank, struct schedule_item item)
{
    item.attempt++;
    item.avoid = rank;
    attempts->waiting++;
    attempts_pass_on(attempts, desk, item);
}

void attempts_settle(struct attempts *attempts, const struct schedule_item *item, int rank,
                     enum status status)
{
    attempts->waiting--;
    if (rank == item->avoid || status == STATUS_UNSUPPORTED)
        health_forget(attempts->health, item->avoid, item->index);
    else
        health_settle(attempts->health, item->avoid, item->index, status == STATUS_OK);
}

static void hold(struct attempts *attempts, struct desk *desk, int rank, bool held)
{
    desk->team.member[rank].held = held;
    trace_say(&desk->trace, "coordinator: rank %d is %s", rank, held ? "suspect: held" : "trusted again");
    schedule_hold(attempts->schedule, rank, held);
}

bool attempts_judge(struct attempts *attempts, struct desk *desk, int rank)
{
    const struct member *member = &desk->team.member[rank];
    enum health_state state = health_of(attempts->health, rank);
    if (member->lost)
        return false;
    if (member->held != (state == HEALTH_SUSPECT))
        hold(attempts, desk, rank, !member->held);
    return state == HEALTH_SICK;
}

void attempts_doubt(struct attempts *attempts, struct desk *desk, int rank)
{
    size_t count;
    const uint32_t *index = health_doubtful(attempts->health, rank, &count);
    for (size_t i = 0; i < count; i++) {
        struct store_point there;
        bool known = store_find_point(desk->agenda.store, grid_id(desk->agenda.grid, index[i]), &there);
        uint8_t tried = known && there.attempts > 0 ? (uint8_t)there.attempts : 0;
        attempts->waiting++;
        attempts->doubtful++;
        attempts_pass_on(attempts, desk,
                         (struct schedule_item){.index = index[i], .attempt = tried, .avoid = rank});
    }
}
