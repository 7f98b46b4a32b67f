#include "coordinator/results.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "coordinator/halves.h"

static void show_failure(struct coordinator_context *context, uint32_t index, const struct result *result)
{
    struct text name = {0};
    struct point point = grid_point(context->plan.grid, index);
    if (context->failures_shown++ < FAILURES_SHOWN) {
        point_describe(&point, &name);
        progress_say(&context->progress, "%s: %s: %s", status_words[result->status], name.data,
                     result->message);
        text_free(&name);
    } else if (context->failures_shown == FAILURES_SHOWN + 1) {
        progress_say(&context->progress, "further failures are not shown; see the results file");
    }
}

/* Schedule replicates of the points that succeeded, of a pair by its first point; expect none of those that failed. */
static void settle_replicates(struct measuring *measuring, struct coordinator_context *context, int rank,
                              const struct halves *halves)
{
    for (int h = 0; h < halves->count; h++) {
        const struct result *result = halves->result[h];
        if (result->status != STATUS_OK)
            context->progress.total -= replicates_planned(measuring->replicates, 1);
        else if (h == 0 || !result->paired_with)
            replicates_add(measuring->replicates, rank, halves->index[h], 1);
    }
}

/* ---- Results ---- */

/* Say once that other processes compute on the rank's device. */
static void tell_shared(struct coordinator_context *context, int rank, const struct result *result)
{
    struct member *member = &context->team.member[rank];
    char text[400];
    if (member->shared || result->shared[0] < '1' || result->shared[0] > '9')
        return;
    member->shared = true;
    snprintf(text, sizeof text, "rank %d, %.100s on %.100s (%.60s): %s", rank, member->device.name,
             member->host, member->device.uuid, result->shared);
    progress_say(&context->progress, "the device is shared: %s; times are not those of an idle device", text);
    store_note(context->plan.store, "shared", text);
}

/* The rank must return its batch. */
static void recall(struct coordinator_context *context, int rank)
{
    context_begin_message(context);
    context_send(context, rank, MESSAGE_RECALL);
}

/* The device is sick: lose its rank, and retry the failures that it has confirmed. */
static void quarantine(struct measuring *measuring, struct coordinator_context *context, int rank)
{
    struct member *member = &context->team.member[rank];
    char text[400];
    snprintf(text, sizeof text,
             "rank %d, %.100s on %.100s (%.60s): %d failures in a row of points that succeed elsewhere, or "
             "did before",
             rank, member->device.name, member->host, member->device.uuid,
             health_blamed(measuring->attempts.health, rank));
    progress_say(&context->progress, "quarantined: %s; its points are reassigned", text);
    store_note(context->plan.store, "quarantined", text);
    member->quarantined = true;
    context->quarantined++;
    team_lose(&context->team, rank);
    results_lose(measuring, context, rank);
    attempts_retry_doubtful(&measuring->attempts, context, rank);
    recall(context, rank);
}

/* A suspect rank whose worker is gone returns its batch, because further points may hang until the timeout. */
static void judge(struct measuring *measuring, struct coordinator_context *context, int rank,
                  bool worker_gone)
{
    const struct member *member = &context->team.member[rank];
    bool held = member->held;
    if (measuring->stopping)
        return;
    if (attempts_judge(&measuring->attempts, context, rank)) {
        quarantine(measuring, context, rank);
    } else if (member->held && !held && worker_gone && context->team.present > 1) {
        recall(context, rank);
    }
}

/* A single device cannot be compared with others. When it fails repeatedly, canaries show whether it still works. */
static void probe_if_alone(struct measuring *measuring, struct coordinator_context *context, int rank)
{
    if (context->team.present != 1 || measuring->stopping ||
        health_failures(measuring->attempts.health, rank) != HEALTH_STRIKES)
        return;
    canaries_probe(&measuring->canaries, measuring->schedule, rank);
    recall(context, rank);
}

/* Update the health of the device, and, after a retry, of the device that failed before. */
static void learn(struct measuring *measuring, int rank, const struct schedule_item *item, enum status status)
{
    struct health *health = measuring->attempts.health;
    if (item->attempt)
        attempts_settle(&measuring->attempts, item, rank, status);
    if (status == STATUS_OK)
        health_good(health, rank, item->index);
    else if (status_is_bad(status))
        health_bad(health, rank, item->index,
                   item->repeat || item->replicate ? FAILURE_REPEATED
                   : item->attempt                 ? FAILURE_LAST
                                                   : FAILURE_FIRST);
}

/* Time of a replicate: without compiling and verifying. */
static double seconds_again(const struct result *result)
{
    return result->real[REAL_seconds_total] - result->real[REAL_seconds_verify] -
           result->real[REAL_seconds_compile];
}

/* The result of the item is final. */
static void finish_point(struct measuring *measuring, struct coordinator_context *context, int rank,
                         const struct schedule_item *item, const struct halves *halves)
{
    double seconds = 0, again = 0;
    bool ok = false;
    for (int h = 0; h < halves->count; h++) {
        const struct result *result = halves->result[h];
        bool bad = status_is_bad(result->status);
        context->progress.done++;
        context->progress.bad += bad;
        seconds += result->real[REAL_seconds_total];
        again += seconds_again(result);
        ok |= result->status == STATUS_OK;
        measuring->retried_ok += item->attempt && !bad;
        if (bad)
            show_failure(context, halves->index[h], result);
    }
    forecast_add_timed(context->forecast, item->index, rank, seconds, again, ok);
    settle_replicates(measuring, context, rank, halves);
}

/* A worker has died of a pair, twice: try each point by itself, so that the good one gets its result. */
static void split_pair(struct measuring *measuring, struct coordinator_context *context, int rank,
                       const struct schedule_item *item, const struct halves *halves)
{
    for (int h = 0; h < halves->count; h++)
        attempts_retry(
            &measuring->attempts, context, rank,
            (struct schedule_item){
                .index = halves->index[h], .attempt = item->attempt, .alone = true, .fresh = true});
}

static void take_result(struct measuring *measuring, struct coordinator_context *context, int rank,
                        struct result *result)
{
    struct member *member = &context->team.member[rank];
    struct halves halves;
    if (member->batch_done == member->batch_count || context->error.kind != ERROR_NONE)
        return;
    struct schedule_item item = member->batch[member->batch_done++];
    halves_of(context, &item, result, &halves);
    enum status status = halves_worst(&halves);
    bool bad = status_is_bad(status), point = !item.repeat && !item.replicate;
    bool again = bad && point && !item.attempt && !measuring->stopping;
    bool split = halves.died && point && item.attempt == 1 && !measuring->stopping;
    schedule_finish(measuring->schedule, rank, 1);
    tell_shared(context, rank, result);
    halves_keep(measuring, context, rank, &item, &halves);
    measuring->replicates_failed += item.replicate && bad;
    bool faulty_kernel =
        canaries_take(&measuring->canaries, &context->plan, item.index, bad, item.repeat) && item.repeat;
    if (!faulty_kernel)
        learn(measuring, rank, &item, status);
    if (again)
        attempts_retry(&measuring->attempts, context, rank, item);
    else if (split)
        split_pair(measuring, context, rank, &item, &halves);
    else if (point)
        finish_point(measuring, context, rank, &item, &halves);
    for (int h = 0; h < halves.count && !point; h++)
        if (status_is_bad(halves.result[h]->status))
            show_failure(context, halves.index[h], halves.result[h]);
    if (item.replicate) {
        double seconds = 0;
        for (int h = 0; h < halves.count; h++)
            seconds += halves.result[h]->real[REAL_seconds_total];
        context->progress.done += (uint64_t)halves.count;
        context->progress.bad += bad;
        forecast_add_replicate(context->forecast, item.index, rank, seconds);
    }
    if (bad)
        probe_if_alone(measuring, context, rank);
    judge(measuring, context, rank, bad && status != STATUS_FAILED);
    if (item.attempt)
        judge(measuring, context, item.avoid, false);
}

/* ---- Batches that end ---- */

/* The batch ends: no counters of it are to come. */
static void stop_awaiting(struct measuring *measuring, struct member *member)
{
    for (int i = 0; i < member->batch_count; i++)
        halves_await_counters(measuring, member, i, false);
}

/* Queue the items that were not begun. `gone`: the rank is lost, and items bound to it are dropped. */
static void return_batch(struct measuring *measuring, struct coordinator_context *context, int rank,
                         bool gone)
{
    struct member *member = &context->team.member[rank];
    assert(member->batch_done <= member->batch_count);
    struct schedule_item *item = member->batch + member->batch_done;
    int count = member->batch_count - member->batch_done, back = 0;
    if (measuring->stopping)
        count = 0;
    for (int i = 0; i < count; i++) {
        if (item[i].attempt)
            attempts_pass_on(&measuring->attempts, context, item[i]);
        else if (!item[i].repeat && !item[i].replicate)
            item[back++] = item[i];
        else if (!gone)
            schedule_add_repeat(measuring->schedule, rank, item[i]);
    }
    schedule_return(measuring->schedule, item, back);
}

/* The rank is idle. It may return a part of its batch, after a stop or a recall. */
static void end_batch(struct measuring *measuring, struct coordinator_context *context, int rank)
{
    struct member *member = &context->team.member[rank];
    stop_awaiting(measuring, member);
    if (member->batch_done < member->batch_count)
        return_batch(measuring, context, rank, false);
    schedule_finish(measuring->schedule, rank, member->batch_count - member->batch_done);
    member->batch_count = member->batch_done = 0;
    member->busy = false;
    forecast_mark_idle(context->forecast, rank);
}

void results_issue_round(struct measuring *measuring, const struct coordinator_context *context, int rank)
{
    struct member *member = &context->team.member[rank];
    bool links = schedule_has_link(measuring->schedule, rank);
    if (schedule_has_own(measuring->schedule, rank))
        return;
    if (links && schedule_link_waiting(measuring->schedule))
        return; /* they are its own */
    /* A node's host link is a bottleneck where several ranks share it: its rank goes on with replicates at once. */
    bool link = links && !member->link_rounds && !context->plan.config.timing.all_devices;
    /* Once: each round starts a process. */
    bool share = !member->early_rounds && !link && forecast_has_share(context->forecast, rank);
    size_t issued = replicates_issue(measuring->replicates, measuring->schedule, rank, link || share);
    member->link_rounds |= link;
    member->early_rounds |= share && issued;
}

/* The last canaries of an idle rank follow its last point. What is left is counting, or the work of others. */
static void end_timing(struct measuring *measuring, struct coordinator_context *context, int rank)
{
    if (!measuring->attempts.waiting && !schedule_has_timing(measuring->schedule, rank) &&
        replicates_are_issued(measuring->replicates, rank))
        canaries_end(&measuring->canaries, measuring->schedule, &context->team, rank);
}

/* `seconds`: its duration as seen by the coordinator. */
static void take_counted(struct measuring *measuring, struct coordinator_context *context, int rank,
                         const struct counted *counted, double seconds)
{
    struct member *member = &context->team.member[rank];
    if (counted->index >= MESSAGE_BATCH_MAX || !member->uncounted[counted->index])
        return; /* of a batch that was reassigned */
    const struct schedule_item *item = &member->batch[counted->index];
    halves_await_counters(measuring, member, (int)counted->index, false);
    measuring->uncounted -= !item->repeat;
    measuring->counters_failed += counted->killed;
    if (item->count) {
        member->batch_done++;
        schedule_finish(measuring->schedule, rank, 1);
    }
    if (context->error.kind == ERROR_NONE)
        store_count(context->plan.store, grid_id(context->plan.grid, item->index), (int32_t)item->repeat,
                    member->device_row, counted, &context->error);
    if (!item->repeat)
        forecast_add_counted(context->forecast, (double)item->seconds, seconds);
}

void results_take(struct measuring *measuring, struct coordinator_context *context, int rank,
                  struct wire_reader *payload)
{
    struct member *member = &context->team.member[rank];
    struct result result;
    struct counted counted;
    bool idle = wire_get_u32(payload);
    uint32_t count = wire_get_u32(payload), size;
    const void *bytes = wire_get_bytes(payload, &size);
    struct wire_reader reports = wire_read(bytes, size);
    double since = forecast_report(context->forecast, rank, clock_now()) / (count ? count : 1);
    for (uint32_t i = 0; i < count && !reports.bad; i++) {
        uint32_t type = wire_get_u32(&reports);
        if (type == WIRE_RESULT && wire_get_result(&reports, &result)) {
            take_result(measuring, context, rank, &result);
            result_free(&result);
        } else if (type == WIRE_COUNTED &&
                   wire_get_counted(&reports, &counted, context->plan.config.counter_count)) {
            take_counted(measuring, context, rank, &counted, since);
        }
    }
    if (!idle || member->lost)
        return;
    end_batch(measuring, context, rank);
    if (!measuring->stopping) {
        results_issue_round(measuring, context, rank);
        end_timing(measuring, context, rank);
    }
    schedule_ask(measuring->schedule, rank);
}

/* The current point of a rank without heartbeats counts as an attempt. */
static void fail_current(struct measuring *measuring, struct coordinator_context *context, int rank)
{
    struct member *member = &context->team.member[rank];
    if (member->batch_done == member->batch_count || measuring->stopping)
        return;
    const struct schedule_item *item = &member->batch[member->batch_done];
    if (item->count) {
        struct counted counted = {.index = (uint32_t)member->batch_done,
                                  .state = COUNTERS_MISSING,
                                  .killed = true,
                                  .energy = energy_none()};
        for (int i = 0; i < RESULT_COUNTERS_MAX; i++)
            counted.counter[i] = NAN;
        snprintf(counted.why, sizeof counted.why, "no heartbeat of rank %d", rank);
        counted_fail_energy(&counted, context->plan.config.energy);
        take_counted(measuring, context, rank, &counted, 0);
    } else if (!item->replicate && !item->repeat) {
        struct result result = result_new();
        result.id = grid_id(context->plan.grid, item->index);
        result_fail(&result, STATUS_CRASHED, "no heartbeat of rank %d at this point, or before it", rank);
        take_result(measuring, context, rank, &result);
    }
}

/* Reassign the retries that wait for this rank; its repetitions and replicates are dropped. */
static void empty_own(struct measuring *measuring, struct coordinator_context *context, int rank)
{
    struct schedule_item item;
    while (schedule_pop_own(measuring->schedule, rank, &item))
        if (item.attempt)
            attempts_pass_on(&measuring->attempts, context, item);
}

void results_lose(struct measuring *measuring, struct coordinator_context *context, int rank)
{
    struct member *member = &context->team.member[rank];
    if (member->silent)
        fail_current(measuring, context, rank);
    stop_awaiting(measuring, member);
    return_batch(measuring, context, rank, true);
    empty_own(measuring, context, rank);
    forecast_lose(context->forecast, rank);
    schedule_lose(measuring->schedule, rank, NULL, 0);
    member->batch_count = member->batch_done = 0;
    member->busy = false;
}
