#include "coordinator/measuring.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "coordinator/canaries.h"
#include "coordinator/run_kernels.h"
#include "coordinator/run_state.h"

/* Within a batch, reference outputs of the next points are computed while a point is timed. But a device that
 * turns sick spoils its whole batch. */
#define BATCH_SECONDS 1.0
#define BATCH_POINTS  32

/* A counted batch starts the profiler, in half a second to a second, so it is large. */
#define COUNTING_SECONDS 20.0
#define COUNTING_LEAST   3.0

/* Counting of a point: launches in several passes, and for counters at the instructions (CUPTI's
 * smsp__sass_) the time of each access of a warp (docs/develop/scaling.md). */
#define COUNTING_POINT  0.04
#define COUNTING_ACCESS 0.9e-9

/* The energy of a point takes two seconds, and is reported at the end of its batch. */
#define ENERGY_POINTS 8

static double expected_seconds(void *data, uint32_t index, bool count)
{
    const struct run *run = data;
    if (run->traits.makes_up)
        return 0;
    if (!count)
        return (grid_second(run->plan.grid, index) == GRID_ALONE ? 1 : 2) *
               run_plan_expected_seconds(&run->plan, index);
    return COUNTING_POINT + COUNTING_ACCESS * run_plan_expected_accesses(&run->plan, index);
}

/* Where each rank has a device of its own, points of one device that load the host link leave the other
 * devices alone. */
static struct schedule_needs needs_of(void *data, uint32_t index)
{
    const struct run *run = data;
    struct point point = grid_point(run->plan.grid, index);
    const struct family *family = family_of(&point);
    struct devices devices = family_devices(&point);
    enum schedule_use shared = family->devices || !run->traits.owns_device ? USE_NODE : USE_LINK;
    return (struct schedule_needs){.use = family->node_exclusive ? shared : USE_DEVICE,
                                   .seat = devices.count ? devices.ordinal[0] : -1,
                                   .slows = point_slows(&point)};
}

static uint64_t data_key(void *data, uint32_t index)
{
    const struct run *run = data;
    struct point point = grid_point(run->plan.grid, index);
    return family_data_key(&point);
}

/* Whether the item is measured together with its second point: replicates only if the first process has done
 * so. */
static bool is_pair(const struct run *run, const struct schedule_item *item)
{
    const struct run_plan *plan = &run->plan;
    uint32_t second = grid_second(plan->grid, item->index);
    if (second == GRID_ALONE || item->repeat || item->count || item->alone)
        return false;
    return !item->replicate || (run_plan_is_paired(plan, item->index) && run_plan_is_ok(plan, second));
}

/* Queue the processes that points of an earlier run lack: those that slow down what comes after them, or the
 * others. */
static void add_partial(struct run *run, bool slow)
{
    const struct run_plan *plan = &run->plan;
    for (size_t i = 0; i < plan->partial_count; i++) {
        const struct partial *partial = &plan->partial[i];
        struct point point = grid_point(plan->grid, partial->index);
        if (point_slows(&point) == slow)
            replicates_add(run->replicates, partial->rank, partial->index, partial->processes,
                           plan->config.timing.all_devices);
    }
}

/* Expect them. Returns the number of measurements. */
static size_t expect_partial(const struct run *run, const struct partial *partial, double *expected)
{
    const struct run_plan *plan = &run->plan;
    uint32_t processes = plan->config.timing.replicates - partial->processes;
    bool pair = is_pair(run, &(struct schedule_item){.index = partial->index, .replicate = true});
    *expected += (pair ? 2 : 1) * processes * run_plan_expected_seconds(plan, partial->index);
    return (pair ? 2 : 1) * (size_t)processes;
}

double measuring_further(const struct run *run)
{
    return (double)replicates_planned(run->replicates, 1) + (config_passes(&run->plan.config) != 0);
}

/* Set up replicates and progress, including points of earlier runs that lack processes. Counting a point is
 * expected to take as long as timing it. */
static void start_replicates(struct run *run)
{
    const struct run_plan *plan = &run->plan;
    const struct timing *timing = &plan->config.timing;
    run->replicates = replicates_new(&(struct replicates_options){.ranks = run->team.count,
                                                                  .processes = timing->replicates,
                                                                  .all_devices = timing->all_devices,
                                                                  .seed = plan->config.seed});
    size_t points = plan->todo_count + plan->todo_pairs;
    size_t planned = points + replicates_planned(run->replicates, points);
    double expected = 0, times = 1 + measuring_further(run);
    for (size_t i = 0; i < plan->todo_count; i++)
        expected += times * (is_pair(run, &(struct schedule_item){.index = plan->todo[i]}) ? 2 : 1) *
                    run_plan_expected_seconds(plan, plan->todo[i]);
    for (size_t i = 0; i < plan->to_count_count; i++) {
        schedule_add_count(run->schedule, plan->to_count[i]);
        expected += run_plan_expected_seconds(plan, plan->to_count[i]);
    }
    for (size_t i = 0; i < plan->partial_count; i++)
        planned += expect_partial(run, &plan->partial[i], &expected);
    add_partial(run, false);
    progress_start(&run->progress, planned > points ? "measurements" : "points", planned, expected);
}

void measuring_start(struct run *run)
{
    const struct team *team = &run->team;
    bool counts = run->plan.config.counter_count, energy = run->plan.config.energy;
    int *node = memory_new((size_t)team->count, sizeof *node),
        *seat = memory_new((size_t)team->count, sizeof *seat);
    for (int rank = 0; rank < team->count; rank++) {
        node[rank] = team->member[rank].home.node;
        seat[rank] = (int)team->member[rank].device.ordinal;
    }
    struct schedule *schedule = run->schedule = schedule_new(
        &(struct schedule_options){.ranks = team->count,
                                   .node = node,
                                   .seat = seat,
                                   .batch_seconds = BATCH_SECONDS,
                                   .batch_max = run->traits.makes_up ? WIRE_BATCH_MAX : BATCH_POINTS,
                                   .count_seconds = COUNTING_SECONDS,
                                   .count_least = counts ? COUNTING_LEAST : 0,
                                   .count_max = energy ? ENERGY_POINTS : WIRE_BATCH_MAX,
                                   .look_ahead = LOOK_AHEAD_SCHEDULE,
                                   .context = run,
                                   .expected = expected_seconds,
                                   .needs = needs_of,
                                   .group = data_key});
    free(node);
    free(seat);
    for (int rank = 0; rank < team->count; rank++) {
        if (team->member[rank].lost)
            schedule_lose(schedule, rank);
        else
            schedule_ask(schedule, rank);
    }
    schedule_expect(schedule, run->plan.todo_count);
    kernels_queue(run);
    run->health = health_new(team->count, grid_count(run->plan.grid));
    start_replicates(run);
}

/* Whether points wait that nobody has measured. */
static bool points_wait(const struct run *run)
{
    return schedule_waiting(run->schedule) > kernels_held(run) || run->retries.waiting > 0;
}

/* When all rounds of the other points have ended, points come that slow down what follows them, also in other
 * processes (worker/settle.h). They have rounds of their own. */
static void begin_last(struct run *run)
{
    if (run->last || points_wait(run) || schedule_timing(run->schedule))
        return;
    for (int rank = 0; rank < run->team.count; rank++)
        if (!run->team.member[rank].lost && (!replicates_are_issued(run->replicates, run->schedule, rank) ||
                                             schedule_has_own(run->schedule, rank)))
            return;
    run->last = true;
    replicates_close(run->replicates);
    add_partial(run, true);
}

/* When no new points are left, idle ranks begin their rounds of replicates. */
static void begin_rounds(struct run *run)
{
    if (!replicates_open(run->replicates, points_wait(run), schedule_timing(run->schedule) > 0))
        return;
    for (int rank = 0; rank < run->team.count; rank++)
        if (!run->team.member[rank].busy && !run->team.member[rank].lost)
            replicates_issue(run->replicates, run->schedule, rank);
}

void measuring_stop(struct run *run, double grace)
{
    schedule_stop(run->schedule);
    wire_put_real(run_begin_message(run), grace);
    run_send_all(run, WIRE_STOP);
}

static enum wire_todo what_of(const struct schedule_item *item)
{
    if (item->pair)
        return item->replicate ? WIRE_TO_REPLICATE_PAIR : WIRE_TO_PAIR;
    if (item->count)
        return WIRE_TO_COUNT;
    return item->replicate ? WIRE_TO_REPLICATE : WIRE_TO_MEASURE;
}

static struct todo todo_of(const struct run *run, const struct schedule_item *item)
{
    const struct grid *grid = run->plan.grid;
    bool timed = item->count && run_plan_is_ok(&run->plan, item->index); /* by an earlier process */
    struct todo todo = {.what = what_of(item),
                        .id = grid_id(grid, item->index),
                        .repeat = item->repeat,
                        .dirty = timed ? run_plan_real(&run->plan, item->index, COLUMN(l2_dirty)) : NAN,
                        .point = grid_point(grid, item->index),
                        .turn = item->turn};
    if (item->pair) {
        uint32_t second = grid_second(grid, item->index);
        todo.second_id = grid_id(grid, second);
        todo.second = grid_point(grid, second);
    }
    return todo;
}

/* Whether the batch that begins with `item` needs a process of its own: for replicates; and after points that
 * load the host link: in a process that has launched graphs of kernels and copies, each kernel of a later
 * graph takes 0.1 to 0.2 us longer (H100 and H200, driver 580: 1.17 and 1.26 us instead of 1.06); and after
 * sparse products, which lower the clock. */
static bool needs_fresh_process(const struct run *run, struct member *member,
                                const struct schedule_item *item)
{
    struct point point = grid_point(run->plan.grid, item->index);
    bool linked = family_of(&point)->node_exclusive, later = item->round > member->round;
    bool disturbed = !item->count && ((member->slowed && !item->slows) || (member->linked && !linked));
    member->round = later ? item->round : member->round;
    if (!item->count) {
        member->slowed = item->slows;
        member->linked = linked;
    }
    return item->fresh || later || disturbed;
}

static void hand_out(struct run *run, int rank, const struct schedule_item *item, int count)
{
    struct member *member = &run->team.member[rank];
    struct wire *out = run_begin_message(run);
    wire_put_u32(out, (uint32_t)count);
    wire_put_u32(out, needs_fresh_process(run, member, &item[0]));
    if (!item[0].count && !item[0].repeat)
        member->ended = false;
    for (int i = 0; i < count; i++) {
        struct schedule_item *one = &member->batch[i];
        *one = item[i];
        one->pair = is_pair(run, one);
        const struct todo todo = todo_of(run, one);
        wire_put_todo(out, &todo);
    }
    member->batch_count = count;
    member->batch_done = 0;
    member->busy = true;
    run_send(run, rank, WIRE_MEASURE);
}

bool measuring_step(struct run *run)
{
    struct schedule_item item[WIRE_BATCH_MAX];
    int rank, count;
    if (!run->stopping) {
        begin_last(run);
        kernels_queue(run);
        begin_rounds(run);
    }
    bool finished = schedule_is_done(run->schedule);
    if (!run->stopping && run->plan.todo_count && canaries_tick(run, finished))
        finished = false;
    if (finished)
        return true;
    while ((count = schedule_next(run->schedule, &rank, item)) > 0)
        hand_out(run, rank, item, count);
    progress_tick(&run->progress);
    return false;
}

void measuring_end(struct run *run)
{
    kernels_end(run);
    schedule_free(run->schedule);
    replicates_free(run->replicates);
    health_free(run->health);
}
