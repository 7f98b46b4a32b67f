/* measuring.c - the phase that it is all about. */
#include "launch/coordinator/coordinator_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plan/order.h"

#define BATCH_SECONDS 0.05

/* Opening the profiler costs as much as counting a dozen points, so a batch that is counted has many. */
#define COUNTING_SECONDS 20.0

static double expected_seconds(void *context, uint32_t index)
{
    const struct coordinator *c = context;
    if (!strcmp(c->backend, "fake"))
        return 0;
    struct point point = grid_point(c->agenda.grid, index);
    return order_expected_seconds(&point, &c->agenda.config.timing);
}

static bool is_exclusive(void *context, uint32_t index)
{
    const struct coordinator *c = context;
    struct point point = grid_point(c->agenda.grid, index);
    return family_of(&point)->node_exclusive;
}

void measuring_start(struct coordinator *c)
{
    int *node = memory_new((size_t)c->team.count, sizeof *node);
    for (int rank = 0; rank < c->team.count; rank++)
        node[rank] = c->team.member[rank].node;
    c->schedule = schedule_new(&(struct schedule_options){
        .ranks = c->team.count,
        .node = node,
        .fixed = c->options->static_schedule,
        .batch_seconds = c->agenda.config.counter_count ? COUNTING_SECONDS : BATCH_SECONDS,
        .batch_most = MESSAGE_BATCH_MOST,
        .context = c,
        .expected = expected_seconds,
        .exclusive = is_exclusive});
    free(node);
    for (int rank = 0; rank < c->team.count; rank++)
        if (c->team.member[rank].lost)
            schedule_lose(c->schedule, rank, NULL, 0);
    for (size_t i = 0; i < c->agenda.todo_count; i++)
        schedule_add(c->schedule, c->agenda.todo[i]);
    c->canaries = canaries_choose(&c->agenda, &c->team);
    progress_start(&c->progress, c->agenda.todo_count);
    c->phase = MEASURING;
    c->idle = true;
}

static void show_failure(struct coordinator *c, uint32_t index, const struct result *result)
{
    struct text name = {0};
    struct point point = grid_point(c->agenda.grid, index);
    if (c->failures_shown++ < FAILURES_SHOWN) {
        point_describe(&point, &name);
        progress_say(&c->progress, "%s: %s: %s", status_words[result->status], name.data, result->message);
        text_free(&name);
    } else if (c->failures_shown == FAILURES_SHOWN + 1) {
        progress_say(&c->progress, "further failures are in the file");
    }
}

static void take_result(struct coordinator *c, int rank, struct result *result)
{
    struct member *member = &c->team.member[rank];
    if (member->batch_done == member->batch_count)
        return;
    struct schedule_item item = member->batch[member->batch_done++];
    schedule_finish(c->schedule, rank, 1);
    bool bad = result->status != STATUS_OK && result->status != STATUS_UNSUPPORTED;
    if (!item.repeat) {
        c->progress.done++;
        c->progress.bad += bad;
    }
    if (bad)
        show_failure(c, item.index, result);
    if (c->error.kind == ERROR_NONE)
        agenda_record(&c->agenda, item.index, result, &member->device, member->device_row, &c->error);
}

void measuring_take_results(struct coordinator *c, int rank, struct wire_reader *payload)
{
    struct member *member = &c->team.member[rank];
    struct result result;
    bool idle = wire_get_u32(payload);
    uint32_t count = wire_get_u32(payload), size;
    const void *bytes = wire_get_bytes(payload, &size);
    struct wire_reader results = wire_read(bytes, size);
    for (uint32_t i = 0; i < count && wire_get_result(&results, &result, c->agenda.config.counter_count);
         i++) {
        take_result(c, rank, &result);
        result_free(&result);
    }
    if (idle) { /* after a stop part of the batch was never begun */
        schedule_finish(c->schedule, rank, member->batch_count - member->batch_done);
        member->batch_count = member->batch_done = 0;
        member->busy = false;
    }
    c->idle = true;
}

static void hand_out(struct coordinator *c, int rank)
{
    struct member *member = &c->team.member[rank];
    member->batch_count = schedule_take(c->schedule, rank, member->batch);
    member->batch_done = 0;
    if (!member->batch_count)
        return;
    member->busy = true;
    wire_reset(&c->out);
    wire_put_u32(&c->out, (uint32_t)member->batch_count);
    for (int i = 0; i < member->batch_count; i++) {
        struct point point = grid_point(c->agenda.grid, member->batch[i].index);
        wire_put_u64(&c->out, grid_id(c->agenda.grid, member->batch[i].index));
        wire_put_u32(&c->out, member->batch[i].repeat);
        wire_put_point(&c->out, &point);
    }
    coordinator_tell(c, rank, MESSAGE_MEASURE);
}

void measuring_step(struct coordinator *c)
{
    bool finished = schedule_is_done(c->schedule);
    if (!c->stopping && c->agenda.todo_count &&
        canaries_tick(&c->canaries, c->schedule, &c->team, c->agenda.todo_count, finished)) {
        c->idle = true;
        finished = false;
    }
    if (finished) {
        coordinator_end_run(c);
        return;
    }
    for (int rank = 0; rank < c->team.count && c->idle; rank++)
        if (!c->team.member[rank].busy && !c->team.member[rank].lost)
            hand_out(c, rank);
    c->idle = false;
    progress_tick(&c->progress);
}
