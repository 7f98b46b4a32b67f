#include "coordinator/results.h"

#include <assert.h>
#include <stdio.h>

#include "coordinator/attempts.h"
#include "coordinator/canaries.h"
#include "coordinator/halves.h"
#include "coordinator/measuring.h"
#include "coordinator/run_state.h"
#include "verdict/verdict.h"

#define FAILURES_SHOWN 10 /* on the screen; the file has all of them */

static void show_failure(struct run *run, uint32_t index, const struct result *result)
{
    struct text name = {0};
    struct point point = grid_point(run->plan.grid, index);
    if (run->failures_shown++ < FAILURES_SHOWN) {
        point_describe(&point, &name);
        progress_say(&run->progress, "%s: %s: %s", status_words[result->status], name.data, result->message);
        text_free(&name);
    } else if (run->failures_shown == FAILURES_SHOWN + 1) {
        progress_say(&run->progress, "further failures are not shown; see the results file");
    }
}

/* Schedule replicates of the points that succeeded, of a pair by its first point; expect none of those that
 * failed. `expected`: s of a point by one process. */
static void settle_replicates(struct run *run, int rank, const struct halves *halves, double expected)
{
    for (int h = 0; h < halves->count; h++) {
        const struct result *result = halves->result[h];
        if (result->status != STATUS_OK) {
            run->progress.total -= replicates_planned(run->replicates, 1);
            run->progress.expected -= measuring_further(run) * expected;
        } else if (h == 0 || !result->paired_with)
            replicates_add(run->replicates, rank, halves->index[h], 1, false);
    }
}

/* ---- Results ---- */

/* Say once that other processes compute on the rank's device. */
static void tell_shared(struct run *run, int rank, const struct result *result)
{
    char text[600];
    if (run->team.member[rank].shared || result->shared[0] < '1' || result->shared[0] > '9')
        return;
    run->team.member[rank].shared = true;
    progress_say(&run->progress, "the device is shared: %s; times are not those of an idle device",
                 run_note_rank(run, rank, "shared", result->shared, text));
}

/* The opposite of finish_item: until the point, which had ended badly, is tried again it is not done, nor is
 * its pair. */
static void reopen(struct run *run, uint32_t index)
{
    const uint32_t point[] = {index, grid_second(run->plan.grid, index)};
    struct progress *progress = &run->progress;
    double expected = run_plan_expected_seconds(&run->plan, index);
    struct store_point there;
    for (int h = 0; h < 2 && point[h] != GRID_ALONE; h++) {
        if (!run_plan_find(&run->plan, point[h], &there))
            continue;
        progress->done--;
        progress->spent -= expected;
        progress->bad -= status_is_bad(there.status);
        if (there.status != STATUS_OK) {
            progress->total += replicates_planned(run->replicates, 1);
            progress->expected += measuring_further(run) * expected;
        }
    }
}

/* The device is sick: lose its rank, and retry the failures that it has confirmed. */
static void quarantine(struct run *run, int rank)
{
    char what[100], text[600];
    snprintf(what, sizeof what, "%d failures in a row of points that succeed elsewhere, or did before",
             run->health->device[rank].blamed);
    progress_say(&run->progress, "quarantined: %s; its points are reassigned",
                 run_note_rank(run, rank, verdict_reason_words[REASON_quarantined], what, text));
    run->quarantined++;
    team_lose(&run->team, rank);
    results_lose(run, rank);
    const struct health_list *doubtful = &run->health->device[rank].last;
    for (size_t i = 0; i < doubtful->count; i++) {
        reopen(run, doubtful->index[i]);
        attempts_retry_final(run, rank, doubtful->index[i]);
    }
    mailbox_send(run->mailbox, rank, WIRE_RECALL, NULL);
}

static void judge(struct run *run, int rank)
{
    if (!run->stopping && attempts_judge(run, rank))
        quarantine(run, rank);
}

/* A single device cannot be compared with others. When it fails repeatedly, canaries show whether it still
 * works. */
static void probe_if_alone(struct run *run, int rank)
{
    if (run->team.present != 1 || run->stopping || run->health->device[rank].failures != HEALTH_STRIKES)
        return;
    canaries_probe(run, rank);
    mailbox_send(run->mailbox, rank, WIRE_RECALL, NULL);
}

/* Update the health of the device, and, after a retry, of the device that failed before. */
static void learn(struct run *run, int rank, const struct schedule_item *item, enum status status)
{
    struct health *health = run->health;
    if (item->attempt)
        attempts_settle(run, item, rank, status);
    if (status == STATUS_OK)
        health_good(health, rank, item->index);
    else if (status_is_bad(status)) {
        enum failure failure = item->attempt ? FAILURE_LAST : FAILURE_FIRST;
        health_bad(health, rank, item->index, item->repeat || item->replicate ? FAILURE_REPEATED : failure);
    }
}

/* The result of the item is final. */
static void finish_item(struct run *run, int rank, const struct schedule_item *item,
                        const struct halves *halves)
{
    double expected = run_plan_expected_seconds(&run->plan, item->index);
    unsigned bad = 0;
    for (int h = 0; h < halves->count; h++) {
        if (!status_is_bad(halves->result[h]->status))
            continue;
        bad++;
        show_failure(run, halves->index[h], halves->result[h]);
    }
    if (item->repeat)
        return;
    run->progress.spent += halves->count * expected;
    run->progress.done += (uint64_t)halves->count;
    run->progress.bad += item->replicate ? bad > 0 : bad;
    if (item->replicate)
        return;
    run->retried_ok += item->attempt ? halves_count(halves, STATUS_OK) : 0;
    settle_replicates(run, rank, halves, expected);
}

/* A worker has died of a pair, twice: try each point by itself, so that the good one gets its result. */
static void split_pair(struct run *run, int rank, const struct schedule_item *item,
                       const struct halves *halves)
{
    for (int h = 0; h < halves->count; h++)
        attempts_retry(
            run, rank,
            (struct schedule_item){
                .index = halves->index[h], .attempt = item->attempt, .alone = true, .fresh = true});
}

static void take_result(struct run *run, int rank, struct result *result)
{
    struct member *member = &run->team.member[rank];
    struct halves halves;
    if (member->batch_done == member->batch_count || run->error.kind != ERROR_NONE)
        return;
    struct schedule_item item = member->batch[member->batch_done++];
    halves_of(run, &item, result, &halves);
    schedule_finish(run->schedule, rank, 1);
    tell_shared(run, rank, result);
    halves_keep(run, rank, &item, &halves); /* a result that cannot be has failed then */
    enum status status = halves_worst(&halves);
    bool bad = status_is_bad(status), point = !item.repeat && !item.replicate;
    bool refused = halves_count(&halves, STATUS_UNSUPPORTED) || halves_count(&halves, STATUS_UNAVAILABLE);
    bool again = point && !item.attempt && !run->stopping &&
                 (bad || (refused && attempts_has_other(run, rank, &item)));
    bool split = halves.died && point && item.attempt == 1 && !run->stopping;
    run->replicates_failed += item.replicate && bad;
    bool faulty_kernel = canaries_take(run, item.index, bad, item.repeat) && item.repeat;
    if (!faulty_kernel)
        learn(run, rank, &item, status);
    if (again)
        attempts_retry(run, rank, item);
    else if (split)
        split_pair(run, rank, &item, &halves);
    else
        finish_item(run, rank, &item, &halves);
    if (bad)
        probe_if_alone(run, rank);
    judge(run, rank);
    if (item.attempt)
        judge(run, item.avoid);
}

/* ---- Batches that end ---- */

/* Queue the items that were not begun. `gone`: the rank is lost, and items bound to it are dropped. Counting
 * may have killed the worker: halves are counted apart, until the one point at fault is found. */
static void return_batch(struct run *run, int rank, bool gone)
{
    struct member *member = &run->team.member[rank];
    assert(member->batch_done <= member->batch_count);
    struct schedule_item *item = member->batch + member->batch_done;
    int count = member->batch_count - member->batch_done, back = 0;
    if (run->stopping)
        count = 0;
    for (int i = 0; i < count; i++) {
        if (item[i].count)
            item[i].part = run->parts + 1 + (2 * i >= count);
        if (item[i].attempt)
            attempts_pass_on(run, item[i]);
        else if (!item[i].repeat && !item[i].replicate)
            item[back++] = item[i];
        else if (!gone)
            schedule_add_repeat(run->schedule, rank, item[i]);
    }
    run->parts += 2;
    schedule_return(run->schedule, item, back);
}

/* The batch has ended; a part of it may not have begun, after a stop or a recall, or because the rank is lost
 * (`gone`). */
static void end_batch(struct run *run, int rank, bool gone)
{
    struct member *member = &run->team.member[rank];
    if (gone || member->batch_done < member->batch_count)
        return_batch(run, rank, gone);
    schedule_finish(run->schedule, rank, member->batch_count - member->batch_done);
    member->batch_count = member->batch_done = 0;
    member->busy = false;
}

/* The last canaries of an idle rank follow its last point. What is left is counting, or the work of
 * others. */
static void end_timing(struct run *run, int rank)
{
    if (!run->retries.waiting && !schedule_has_timing(run->schedule, rank) &&
        replicates_are_issued(run->replicates, run->schedule, rank))
        canaries_end(run, rank);
}

static void take_counted(struct run *run, int rank, const struct counted *counted)
{
    struct member *member = &run->team.member[rank];
    if (member->batch_done == member->batch_count || counted->index != (uint32_t)member->batch_done)
        return; /* of a batch that was reassigned */
    const struct schedule_item *item = &member->batch[member->batch_done++];
    schedule_finish(run->schedule, rank, 1);
    if (run->error.kind == ERROR_NONE)
        store_count(run->plan.store, grid_id(run->plan.grid, item->index), (int32_t)item->repeat,
                    member->device_row, counted, &run->error);
    if (!item->repeat)
        run->progress.spent += run_plan_expected_seconds(&run->plan, item->index);
}

/* A runner numbers its workers from 1; the file numbers all processes of all runs. */
static void number_process(struct run *run, struct member *member, uint32_t worker)
{
    if (member->worker == worker)
        return;
    member->worker = worker;
    member->process = run->next_process++;
}

void results_take(struct run *run, int rank, struct wire_reader *payload)
{
    struct member *member = &run->team.member[rank];
    struct result result;
    struct counted counted;
    struct wire_reader report;
    enum wire_type type;
    bool idle = wire_get_u32(payload);
    uint32_t worker = wire_get_u32(payload), size;
    const void *bytes = wire_get_bytes(payload, &size);
    struct wire_stream reports = wire_stream_of(bytes, size);
    while (run->error.kind == ERROR_NONE && wire_stream_next(&reports, &type, &report) > 0) {
        if (type == WIRE_LOADED) {
            opening_take_loaded(run, rank, &report);
        } else if (type == WIRE_RESULT && wire_get_result(&report, &result)) {
            number_process(run, member, worker);
            take_result(run, rank, &result);
            result_free(&result);
        } else if (type == WIRE_COUNTED && wire_get_fields(&report, wire_counted, &counted)) {
            take_counted(run, rank, &counted);
        }
    }
    if (!idle || member->lost)
        return;
    end_batch(run, rank, false);
    if (!run->stopping) {
        replicates_issue(run->replicates, run->schedule, rank);
        end_timing(run, rank);
    }
    schedule_ask(run->schedule, rank);
}

/* The current point of a rank without heartbeats counts as an attempt. */
static void fail_current(struct run *run, int rank)
{
    struct member *member = &run->team.member[rank];
    if (member->batch_done == member->batch_count || run->stopping)
        return;
    const struct schedule_item *item = &member->batch[member->batch_done];
    if (item->count) {
        char why[48];
        snprintf(why, sizeof why, "no heartbeat of rank %d", rank);
        struct counted counted = counted_lost((uint32_t)member->batch_done, run->plan.config.energy, why);
        take_counted(run, rank, &counted);
    } else if (!item->repeat) {
        struct result result = result_new();
        result.id = grid_id(run->plan.grid, item->index);
        result_fail(&result, STATUS_CRASHED, "no heartbeat of rank %d at this point, or before it", rank);
        take_result(run, rank, &result);
    }
}

void results_lose(struct run *run, int rank)
{
    struct schedule_item item;
    if (run->team.member[rank].silent)
        fail_current(run, rank);
    end_batch(run, rank, true);
    while (schedule_pop_own(run->schedule, rank, &item)) /* repetitions and replicates are dropped */
        if (item.attempt)
            attempts_pass_on(run, item);
    schedule_lose(run->schedule, rank);
}
