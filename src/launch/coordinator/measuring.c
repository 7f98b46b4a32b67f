#include "launch/coordinator/measuring.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plan/order.h"

#define BATCH_SECONDS 0.05

/* Opening the profiler costs as much as counting a dozen points, so a batch that is counted has many. */
#define COUNTING_SECONDS 20.0

static double expected_seconds(void *context, uint32_t index)
{
    const struct desk *desk = context;
    if (desk->traits.makes_up)
        return 0;
    struct point point = grid_point(desk->agenda.grid, index);
    return order_expected_seconds(&point, &desk->agenda.config.timing);
}

static bool is_exclusive(void *context, uint32_t index)
{
    const struct desk *desk = context;
    struct point point = grid_point(desk->agenda.grid, index);
    return family_of(&point)->node_exclusive;
}

/* The rank whose device measured a point in an earlier run; any other when it is not here. */
static int rank_of_device(const struct team *team, const char *uuid, uint32_t index)
{
    for (int rank = 0; rank < team->count; rank++)
        if (*uuid && !strcmp(team->member[rank].device.uuid, uuid))
            return rank;
    return (int)(index % (uint32_t)team->count);
}

/* How many processes measure each point, and what earlier runs have left of that. */
static void start_replicates(struct measuring *measuring, struct desk *desk)
{
    const struct agenda *agenda = &desk->agenda;
    const struct timing *timing = &agenda->config.timing;
    measuring->replicates = replicates_new(&(struct replicates_options){.ranks = desk->team.count,
                                                                        .processes = timing->replicates,
                                                                        .all_devices = timing->all_devices,
                                                                        .seed = agenda->config.seed});
    size_t planned = agenda->todo_count + replicates_planned(measuring->replicates, agenda->todo_count);
    for (size_t i = 0; i < agenda->partial_count; i++) {
        const struct partial *partial = &agenda->partial[i];
        int rank = rank_of_device(&desk->team, partial->uuid, partial->index);
        replicates_add(measuring->replicates, rank, partial->index, partial->processes);
        planned += timing->replicates - partial->processes;
    }
    progress_start(&desk->progress, planned > agenda->todo_count ? "measurements" : "points", planned,
                   desk->trace.on);
}

void measuring_start(struct measuring *measuring, struct desk *desk)
{
    const struct team *team = &desk->team;
    int *node = memory_new((size_t)team->count, sizeof *node);
    for (int rank = 0; rank < team->count; rank++)
        node[rank] = team->member[rank].node;
    struct schedule *schedule = measuring->schedule = schedule_new(&(struct schedule_options){
        .ranks = team->count,
        .node = node,
        .fixed = desk->options->static_schedule,
        .batch_seconds = desk->agenda.config.counter_count ? COUNTING_SECONDS : BATCH_SECONDS,
        .batch_most = MESSAGE_BATCH_MOST,
        .context = desk,
        .expected = expected_seconds,
        .exclusive = is_exclusive});
    free(node);
    for (int rank = 0; rank < team->count; rank++) {
        if (team->member[rank].lost)
            schedule_lose(schedule, rank, NULL, 0);
        else
            schedule_ask(schedule, rank);
    }
    for (size_t i = 0; i < desk->agenda.todo_count; i++)
        schedule_add(schedule, desk->agenda.todo[i]);
    measuring->canaries = canaries_choose(&desk->agenda, team);
    start_replicates(measuring, desk);
}

static void show_failure(struct desk *desk, uint32_t index, const struct result *result)
{
    struct text name = {0};
    struct point point = grid_point(desk->agenda.grid, index);
    if (desk->failures_shown++ < FAILURES_SHOWN) {
        point_describe(&point, &name);
        progress_say(&desk->progress, "%s: %s: %s", status_words[result->status], name.data, result->message);
        text_free(&name);
    } else if (desk->failures_shown == FAILURES_SHOWN + 1) {
        progress_say(&desk->progress, "further failures are in the file");
    }
}

/* What was measured well is measured by further processes; of what was not, none has to be waited for. */
static void settle_replicates(struct measuring *measuring, struct desk *desk, int rank, uint32_t index,
                              const struct result *result)
{
    if (result->status == STATUS_OK)
        replicates_add(measuring->replicates, rank, index, 1);
    else
        desk->progress.total -= replicates_planned(measuring->replicates, 1);
}

/* The runner counts its workers from 1; the file numbers all processes that ever measured for it. */
static void number_process(struct desk *desk, struct member *member, struct result *result)
{
    if (result->process != member->worker) {
        member->worker = result->process;
        member->process = desk->next_process++;
    }
    result->process = member->process;
}

static void take_result(struct measuring *measuring, struct desk *desk, int rank, struct result *result)
{
    struct member *member = &desk->team.member[rank];
    if (member->batch_done == member->batch_count)
        return;
    struct schedule_item item = member->batch[member->batch_done++];
    schedule_finish(measuring->schedule, rank, 1);
    bool bad = result->status != STATUS_OK && result->status != STATUS_UNSUPPORTED;
    if (!item.repeat) {
        desk->progress.done++;
        desk->progress.bad += bad;
    }
    if (bad)
        show_failure(desk, item.index, result);
    if (!item.repeat && !item.replicate)
        settle_replicates(measuring, desk, rank, item.index, result);
    measuring->replicates_failed += item.replicate && bad;
    number_process(desk, member, result);
    if (desk->error.kind != ERROR_NONE)
        return;
    if (item.replicate)
        agenda_merge(&desk->agenda, result, member->device_row, &desk->error);
    else
        agenda_record(&desk->agenda, item.index, result, &member->device, member->device_row, &desk->error);
}

/* The rank has nothing in hand any more; after a stop part of its batch was never begun. */
static void empty_hands(struct measuring *measuring, struct member *member, int rank)
{
    schedule_finish(measuring->schedule, rank, member->batch_count - member->batch_done);
    member->batch_count = member->batch_done = 0;
    member->busy = false;
}

/* A rank that has done all that is queued for it goes on to its next round. */
static void replicates_issue_if_idle(struct measuring *measuring, int rank)
{
    if (!schedule_has_own(measuring->schedule, rank))
        replicates_issue(measuring->replicates, measuring->schedule, rank);
}

/* Nothing waits any more that nobody has measured: ranks that are idle begin their rounds. */
static void begin_rounds(struct measuring *measuring, const struct desk *desk)
{
    bool waiting = schedule_waiting(measuring->schedule) > 0;
    if (measuring->stopping ||
        !replicates_open(measuring->replicates, waiting, schedule_running(measuring->schedule) > 0))
        return;
    for (int rank = 0; rank < desk->team.count; rank++)
        if (!desk->team.member[rank].busy && !desk->team.member[rank].lost)
            replicates_issue_if_idle(measuring, rank);
}

void measuring_take_results(struct measuring *measuring, struct desk *desk, int rank,
                            struct wire_reader *payload)
{
    struct member *member = &desk->team.member[rank];
    struct result result;
    bool idle = wire_get_u32(payload);
    uint32_t count = wire_get_u32(payload), size;
    const void *bytes = wire_get_bytes(payload, &size);
    struct wire_reader results = wire_read(bytes, size);
    for (uint32_t i = 0; i < count && wire_get_result(&results, &result, desk->agenda.config.counter_count);
         i++) {
        take_result(measuring, desk, rank, &result);
        result_free(&result);
    }
    if (!idle || member->lost)
        return;
    empty_hands(measuring, member, rank);
    if (!measuring->stopping)
        replicates_issue_if_idle(measuring, rank);
    schedule_ask(measuring->schedule, rank);
}

void measuring_lose(struct measuring *measuring, struct desk *desk, int rank)
{
    struct member *member = &desk->team.member[rank];
    schedule_lose(measuring->schedule, rank, member->batch + member->batch_done,
                  member->batch_count - member->batch_done);
    member->batch_count = member->batch_done = 0;
    member->busy = false;
}

void measuring_stop(struct measuring *measuring, struct desk *desk, double grace)
{
    measuring->stopping = true;
    schedule_stop(measuring->schedule);
    wire_put_real(desk_write(desk), grace);
    desk_tell_all(desk, MESSAGE_STOP);
}

static void hand_out(struct desk *desk, int rank, const struct schedule_item *item, int count)
{
    struct member *member = &desk->team.member[rank];
    struct wire *out = desk_write(desk);
    wire_put_u32(out, (uint32_t)count);
    wire_put_u32(out, item[0].round);
    for (int i = 0; i < count; i++) {
        struct point point = grid_point(desk->agenda.grid, item[i].index);
        member->batch[i] = item[i];
        wire_put_u64(out, grid_id(desk->agenda.grid, item[i].index));
        wire_put_u32(out, item[i].repeat);
        wire_put_u32(out, item[i].replicate);
        wire_put_point(out, &point);
    }
    member->batch_count = count;
    member->batch_done = 0;
    member->busy = true;
    desk_tell(desk, rank, MESSAGE_MEASURE);
}

bool measuring_step(struct measuring *measuring, struct desk *desk)
{
    struct schedule_item item[MESSAGE_BATCH_MOST];
    int rank, count;
    begin_rounds(measuring, desk);
    bool finished = schedule_is_done(measuring->schedule);
    if (!measuring->stopping && desk->agenda.todo_count &&
        canaries_tick(&measuring->canaries, measuring->schedule, &desk->team, desk->agenda.todo_count,
                      finished))
        finished = false;
    if (finished)
        return true;
    while ((count = schedule_next(measuring->schedule, &rank, item)) > 0)
        hand_out(desk, rank, item, count);
    progress_tick(&desk->progress);
    return false;
}

void measuring_end(struct measuring *measuring)
{
    schedule_free(measuring->schedule);
    replicates_free(measuring->replicates);
    measuring->schedule = NULL;
    measuring->replicates = NULL;
}
