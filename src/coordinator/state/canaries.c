#include "coordinator/state/canaries.h"

#include "base/clock.h"
#include "family/target.h"
#include "plan/order.h"

struct canaries canaries_choose(const struct run_plan *plan, const struct team *team)
{
    enum { POINTS_PER_CANARY = 16 };
    struct canaries canaries = {.repeat = plan->highest_repeat};
    struct target target = target_of_device(&team->member[0].device);
    size_t allowed = plan->todo_count / POINTS_PER_CANARY;
    if (allowed)
        canaries.count = order_canaries(plan->grid, &target, plan->config.seed,
                                        allowed < CANARIES_MAX ? (int)allowed : CANARIES_MAX, canaries.index);
    return canaries;
}

bool canaries_take(struct canaries *canaries, const struct run_plan *plan, uint32_t index, bool bad,
                   bool repetition)
{
    int i = 0;
    while (i < canaries->count && canaries->index[i] != index)
        i++;
    if (i == canaries->count)
        return false;
    canaries->good[i] |= !bad || run_plan_is_ok(plan, index);
    canaries->failed[i] += repetition && bad;
    return !canaries->good[i];
}

size_t canaries_failed(const struct canaries *canaries)
{
    size_t failed = 0;
    for (int i = 0; i < canaries->count; i++)
        failed += canaries->good[i] ? canaries->failed[i] : 0;
    return failed;
}

void canaries_probe(struct canaries *canaries, struct schedule *schedule, int rank)
{
    for (int i = 0; i < canaries->count; i++)
        if (canaries->good[i] || !canaries->failed[i])
            schedule_add_repeat(
                schedule, rank,
                (struct schedule_item){.index = canaries->index[i], .repeat = ++canaries->repeat});
}

void canaries_end(struct canaries *canaries, struct schedule *schedule, struct team *team, int rank)
{
    struct member *member = &team->member[rank];
    if (!canaries->count || !canaries->started || member->ended || member->lost)
        return;
    member->ended = true;
    canaries_probe(canaries, schedule, rank);
}

/* The last round of every rank that has not had it. */
static bool end_all(struct canaries *canaries, struct schedule *schedule, struct team *team)
{
    uint32_t before = canaries->repeat;
    for (int rank = 0; rank < team->count; rank++)
        canaries_end(canaries, schedule, team, rank);
    return canaries->repeat > before;
}

bool canaries_tick(struct canaries *canaries, struct schedule *schedule, struct team *team, size_t total,
                   bool finished)
{
    double now = clock_now();
    bool half = !canaries->halved && schedule_waiting(schedule) <= total / 2;
    bool again = canaries->started && now - canaries->last >= CANARY_INTERVAL;
    if (!canaries->count || (canaries->started && !half && !again && !finished))
        return false;
    if (canaries->started && finished)
        return end_all(canaries, schedule, team);
    for (int rank = 0; rank < team->count; rank++)
        if (!team->member[rank].lost)
            canaries_probe(canaries, schedule, rank);
    canaries->started = true;
    canaries->halved |= half;
    canaries->last = now;
    return true;
}
