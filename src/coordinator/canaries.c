#include "coordinator/canaries.h"

#include "base/clock.h"
#include "coordinator/run_kernels.h"
#include "coordinator/run_state.h"
#include "family/family.h"
#include "plan/grid.h"

void canaries_choose(struct run *run)
{
    enum { POINTS_PER_CANARY = 16 };
    const struct run_plan *plan = &run->plan;
    struct canaries *canaries = &run->canaries;
    struct target target = target_of_device(&run->team.member[0].device);
    size_t allowed = plan->todo_count / POINTS_PER_CANARY;
    *canaries = (struct canaries){.repeat = plan->highest_repeat};
    if (allowed)
        canaries->count =
            order_canaries(plan->grid, &target, plan->config.seed,
                           allowed < CANARIES_MAX ? (int)allowed : CANARIES_MAX, canaries->index);
}

bool canaries_take(struct run *run, uint32_t index, bool bad, bool repetition)
{
    struct canaries *canaries = &run->canaries;
    int i = 0;
    while (i < canaries->count && canaries->index[i] != index)
        i++;
    if (i == canaries->count)
        return false;
    canaries->good[i] |= !bad || run_plan_is_ok(&run->plan, index);
    canaries->failed[i] += repetition && bad;
    return !canaries->good[i];
}

void canaries_probe(struct run *run, int rank)
{
    struct canaries *canaries = &run->canaries;
    for (int i = 0; i < canaries->count; i++)
        if (canaries->good[i] || !canaries->failed[i])
            schedule_add_repeat(
                run->schedule, rank,
                (struct schedule_item){.index = canaries->index[i], .repeat = ++canaries->repeat});
}

void canaries_end(struct run *run, int rank)
{
    struct member *member = &run->team.member[rank];
    if (!run->canaries.count || !run->canaries.started || member->ended || member->lost)
        return;
    member->ended = true;
    canaries_probe(run, rank);
}

/* The last round of every rank that has not had it. */
static bool end_all(struct run *run)
{
    uint32_t before = run->canaries.repeat;
    for (int rank = 0; rank < run->team.count; rank++)
        canaries_end(run, rank);
    return run->canaries.repeat > before;
}

bool canaries_tick(struct run *run, bool finished)
{
    struct canaries *canaries = &run->canaries;
    double now = clock_now();
    bool half = !canaries->halved && schedule_waiting(run->schedule) <= run->plan.todo_count / 2;
    bool again = canaries->started && now - canaries->last >= CANARY_INTERVAL;
    if (!canaries->count || (canaries->started && !half && !again && !finished) ||
        (!canaries->started && !kernels_have_canaries(run)))
        return false;
    if (canaries->started && finished)
        return end_all(run);
    for (int rank = 0; rank < run->team.count; rank++)
        if (!run->team.member[rank].lost)
            canaries_probe(run, rank);
    canaries->started = true;
    canaries->halved |= half;
    canaries->last = now;
    return true;
}
