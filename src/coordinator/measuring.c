#include "coordinator/measuring.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "coordinator/halves.h"
#include "coordinator/results.h"
#include "protocol/timeline.h"

/* Within a batch, reference outputs of the next points are computed while a point is timed. But a device that turns sick
 * spoils its whole batch. */
#define BATCH_SECONDS 1.0
#define BATCH_POINTS  32

/* A counted batch starts the profiler, in half a second to a second, so it is large. */
#define COUNTING_SECONDS 20.0
#define COUNTING_LEAST   3.0

/* Counting of a point: launches in several passes, and for counters at the instructions (CUPTI's
 * smsp__sass_) the time of each access of a warp (docs/develop/scaling.md). */
#define COUNTING_POINT  0.02
#define COUNTING_ACCESS 0.9e-9

/* The energy of a point takes two seconds, and is reported at the end of its batch. */
#define ENERGY_POINTS 8

static double expected_seconds(void *data, uint32_t index, bool count)
{
    const struct coordinator_context *context = data;
    if (context->traits.makes_up)
        return 0;
    if (!count)
        return run_plan_expected_seconds(&context->plan, index);
    return COUNTING_POINT + COUNTING_ACCESS * run_plan_expected_accesses(&context->plan, index);
}

static double counting_room(void *data, int rank)
{
    const struct coordinator_context *context = data;
    return forecast_counting_room(context->forecast, rank);
}

/* Where each rank has a device of its own, points of one device that load the host link leave the other devices alone. */
static enum schedule_use use_of(void *data, uint32_t index)
{
    const struct coordinator_context *context = data;
    struct point point = grid_point(context->plan.grid, index);
    const struct family *family = family_of(&point);
    if (!family->node_exclusive)
        return USE_DEVICE;
    return family->devices || !context->traits.owns_device ? USE_NODE : USE_LINK;
}

static int seat_of(void *data, uint32_t index)
{
    const struct coordinator_context *context = data;
    struct point point = grid_point(context->plan.grid, index);
    struct devices devices = family_devices(&point);
    return devices.count ? devices.ordinal[0] : -1;
}

static bool slows(void *data, uint32_t index)
{
    const struct coordinator_context *context = data;
    struct point point = grid_point(context->plan.grid, index);
    return point_slows(&point);
}

static uint64_t data_key(void *data, uint32_t index)
{
    const struct coordinator_context *context = data;
    struct point point = grid_point(context->plan.grid, index);
    return family_data_key(&point);
}

/* The rank whose device has measured a point in an earlier run; an arbitrary one if it is absent. */
static int rank_of_device(const struct team *team, const char *uuid, uint32_t index)
{
    for (int rank = 0; rank < team->count; rank++)
        if (*uuid && !strcmp(team->member[rank].device.uuid, uuid))
            return rank;
    return (int)(index % (uint32_t)team->count);
}

static bool is_unsupported(const struct run_plan *plan, uint32_t index)
{
    struct store_point there;
    return store_find(plan->store, grid_id(plan->grid, index), &there) && there.status == STATUS_UNSUPPORTED;
}

/* Whether the item is measured together with its second point: replicates only if the first process has done so. */
static bool is_pair(const struct coordinator_context *context, const struct schedule_item *item)
{
    const struct run_plan *plan = &context->plan;
    uint32_t second = run_plan_second(plan, item->index);
    if (second == GRID_ALONE || item->repeat || item->count || item->alone)
        return false;
    return item->replicate ? run_plan_is_paired(plan, item->index) && run_plan_is_ok(plan, second)
                           : !is_unsupported(plan, second);
}

/* Seconds that a process took for a point of an earlier run, without compiling and verifying; NaN: not in the file. */
static double earlier_seconds(const struct run_plan *plan, uint32_t index)
{
    const struct frame *results = &store_data(plan->store)->results;
    size_t row = store_find_row(plan->store, grid_id(plan->grid, index));
    if (row == SIZE_MAX)
        return NAN;
    return frame_find_real(results, row, COLUMN(seconds_total)) -
           frame_find_real(results, row, COLUMN(seconds_verify)) -
           frame_find_real(results, row, COLUMN(seconds_compile));
}

/* Queue the processes that a point of an earlier run lacks. Returns the number of measurements. */
static size_t add_partial(struct measuring *measuring, struct coordinator_context *context,
                          const struct partial *partial)
{
    const struct run_plan *plan = &context->plan;
    int rank = rank_of_device(&context->team, partial->uuid, partial->index);
    uint32_t processes = plan->config.timing.replicates - partial->processes;
    bool pair = is_pair(context, &(struct schedule_item){.index = partial->index, .replicate = true});
    (plan->config.timing.all_devices ? replicates_add_own : replicates_add)(
        measuring->replicates, rank, partial->index, partial->processes);
    double seconds = earlier_seconds(plan, partial->index);
    if (pair)
        seconds += earlier_seconds(plan, run_plan_second(plan, partial->index));
    forecast_add_partial(context->forecast, partial->index, rank, processes, seconds);
    return (pair ? 2 : 1) * (size_t)processes;
}

/* Set up replicates, progress and forecast, including points of earlier runs that lack processes. */
static void start_replicates(struct measuring *measuring, struct coordinator_context *context)
{
    const struct run_plan *plan = &context->plan;
    const struct timing *timing = &plan->config.timing;
    measuring->replicates = replicates_new(&(struct replicates_options){.ranks = context->team.count,
                                                                        .processes = timing->replicates,
                                                                        .all_devices = timing->all_devices,
                                                                        .seed = plan->config.seed});
    size_t points = plan->todo_count + plan->todo_pairs;
    size_t planned = points + replicates_planned(measuring->replicates, points);
    context->forecast = forecast_new(
        &(struct forecast_options){.grid = plan->grid,
                                   .timing = timing,
                                   .ranks = context->team.count,
                                   .present = context->team.present,
                                   .further = (uint32_t)replicates_planned(measuring->replicates, 1),
                                   .bound = !timing->all_devices,
                                   .counts = config_passes(&plan->config),
                                   .links_apart = context->traits.owns_device});
    for (size_t i = 0; i < plan->todo_count; i++)
        forecast_add(context->forecast, plan->todo[i]);
    for (size_t i = 0; i < plan->to_count_count; i++)
        forecast_add_count(context->forecast, schedule_add_count(measuring->schedule, plan->to_count[i]));
    for (size_t i = 0; i < plan->partial_count; i++)
        planned += add_partial(measuring, context, &plan->partial[i]);
    progress_start(&context->progress, planned > points ? "measurements" : "points", planned);
    progress_phase(&context->progress, "measuring");
}

void measuring_start(struct measuring *measuring, struct coordinator_context *context)
{
    const struct team *team = &context->team;
    bool counts = context->plan.config.counter_count, energy = context->plan.config.energy;
    int *node = memory_new((size_t)team->count, sizeof *node),
        *seat = memory_new((size_t)team->count, sizeof *seat);
    for (int rank = 0; rank < team->count; rank++) {
        node[rank] = team->member[rank].node;
        seat[rank] = team->member[rank].seat;
    }
    struct schedule *schedule = measuring->schedule = schedule_new(
        &(struct schedule_options){.ranks = team->count,
                                   .node = node,
                                   .seat = seat,
                                   .batch_seconds = BATCH_SECONDS,
                                   .batch_max = context->traits.makes_up ? MESSAGE_BATCH_MAX : BATCH_POINTS,
                                   .count_seconds = COUNTING_SECONDS,
                                   .count_least = counts ? COUNTING_LEAST : 0,
                                   .count_max = energy ? ENERGY_POINTS : MESSAGE_BATCH_MAX,
                                   .look_ahead = LOOK_AHEAD_SCHEDULE,
                                   .context = context,
                                   .expected = expected_seconds,
                                   .room = counting_room,
                                   .use = use_of,
                                   .seat_of = seat_of,
                                   .slows = slows,
                                   .group = data_key});
    free(node);
    free(seat);
    for (int rank = 0; rank < team->count; rank++) {
        if (team->member[rank].lost)
            schedule_lose(schedule, rank, NULL, 0);
        else
            schedule_ask(schedule, rank);
    }
    for (int last = 0; last < 2; last++)
        for (size_t i = 0; i < context->plan.todo_count; i++)
            if (slows(context, context->plan.todo[i]) == last)
                schedule_add(schedule, context->plan.todo[i]);
    measuring->uncounted = context->plan.to_count_count;
    measuring->attempts = attempts_new(schedule, context);
    measuring->canaries = canaries_choose(&context->plan, team);
    start_replicates(measuring, context);
}

/* When no new points are left, idle ranks begin their rounds of replicates. */
static void begin_rounds(struct measuring *measuring, const struct coordinator_context *context)
{
    bool waiting = schedule_waiting(measuring->schedule) > 0 || measuring->attempts.waiting > 0;
    if (measuring->stopping ||
        !replicates_open(measuring->replicates, waiting, schedule_timing(measuring->schedule) > 0))
        return;
    for (int rank = 0; rank < context->team.count; rank++)
        if (!context->team.member[rank].busy && !context->team.member[rank].lost)
            results_issue_round(measuring, context, rank);
}

void measuring_stop(struct measuring *measuring, struct coordinator_context *context, double grace)
{
    measuring->stopping = true;
    schedule_stop(measuring->schedule);
    wire_put_real(context_begin_message(context), grace);
    context_send_all(context, MESSAGE_STOP);
}

static enum wire_todo what_of(const struct schedule_item *item)
{
    if (item->pair)
        return item->replicate ? WIRE_TO_REPLICATE_PAIR : WIRE_TO_PAIR;
    return item->count ? WIRE_TO_COUNT : item->replicate ? WIRE_TO_REPLICATE : WIRE_TO_MEASURE;
}

/* The share of dirty L2 lines when an earlier process has timed the point. */
static double dirty_of(const struct coordinator_context *context, const struct schedule_item *item)
{
    const struct store *store = context->plan.store;
    uint64_t id = grid_id(context->plan.grid, item->index);
    struct store_point point;
    bool ok = store_find(store, id, &point) && point.status == STATUS_OK;
    return ok ? frame_find_real(&store_data(store)->results, store_find_row(store, id), COLUMN(l2_dirty))
              : NAN;
}

static struct todo todo_of(const struct coordinator_context *context, const struct schedule_item *item)
{
    const struct grid *grid = context->plan.grid;
    struct todo todo = {.what = what_of(item),
                        .id = grid_id(grid, item->index),
                        .repeat = item->repeat,
                        .dirty = item->count ? dirty_of(context, item) : NAN,
                        .point = grid_point(grid, item->index),
                        .turn = item->turn};
    if (item->pair) {
        uint32_t second = run_plan_second(&context->plan, item->index);
        todo.second_id = grid_id(grid, second);
        todo.second = grid_point(grid, second);
    }
    return todo;
}

static void hand_out(struct measuring *measuring, struct coordinator_context *context, int rank,
                     const struct schedule_item *item, int count)
{
    struct member *member = &context->team.member[rank];
    struct wire *out = context_begin_message(context);
    wire_put_u32(out, (uint32_t)count);
    wire_put_u32(out, item[0].round);
    wire_put_u32(out, item[0].fresh || (member->slowed && !item[0].slows && !item[0].count));
    if (!item[0].count)
        member->slowed = item[0].slows;
    if (!item[0].count && !item[0].repeat)
        member->ended = false;
    wire_put_u32(out,
                 schedule_was_refused(measuring->schedule, rank) ? PHASE_wait_exclusive : PHASE_wait_work);
    for (int i = 0; i < count; i++) {
        struct schedule_item *one = &member->batch[i];
        *one = item[i];
        one->pair = is_pair(context, one);
        const struct todo todo = todo_of(context, one);
        wire_put_todo(out, &todo);
        halves_await_counters(measuring, member, i, item[i].count);
    }
    member->batch_count = count;
    member->batch_done = 0;
    member->busy = true;
    forecast_begin(context->forecast, rank, clock_now());
    context_send(context, rank, MESSAGE_MEASURE);
}

bool measuring_step(struct measuring *measuring, struct coordinator_context *context)
{
    struct schedule_item item[MESSAGE_BATCH_MAX];
    int rank, count;
    begin_rounds(measuring, context);
    bool finished = schedule_is_done(measuring->schedule) && !measuring->counting;
    if (!measuring->stopping && context->plan.todo_count &&
        canaries_tick(&measuring->canaries, measuring->schedule, &context->team, context->plan.todo_count,
                      finished))
        finished = false;
    if (finished)
        return true;
    while ((count = schedule_next(measuring->schedule, &rank, item)) > 0)
        hand_out(measuring, context, rank, item, count);
    if (progress_is_due(&context->progress))
        progress_tick(&context->progress, forecast_left(context->forecast, clock_now()));
    return false;
}

void measuring_end(struct measuring *measuring)
{
    schedule_free(measuring->schedule);
    replicates_free(measuring->replicates);
    attempts_free(&measuring->attempts);
    measuring->schedule = NULL;
    measuring->replicates = NULL;
}
