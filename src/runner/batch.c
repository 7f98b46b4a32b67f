#include "runner/runner_state.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/clock.h"

#define DEATHS_MAX                                                                                           \
    4 /* consecutive points that kill a counting worker; then counting the rest of the batch is given up */

static void begin_task(struct runner *runner)
{
    runner->stage[0] = '\0';
    runner->task_started = clock_now();
    bool pair = runner->done < runner->tasks && wire_todo_is_pair(runner->task[runner->done].what);
    runner->deadline = runner->task_started + (pair ? 2 : 1) * runner->config.timing.timeout;
}

/* ---- Counting ---- */

static int waiting_to_count(const struct runner *runner)
{
    return runner->counts ? runner->tasks - runner->counted : 0;
}

/* The next group are the first points that wait: all of them, unless a worker has died of counting. */
static bool in_next_group(const struct runner *runner, int task)
{
    const struct groups *groups = &runner->groups;
    int size = groups->count ? groups->size[groups->count - 1] : waiting_to_count(runner);
    return runner->counts && task >= runner->counted && task < runner->counted + size;
}

/* `counted`: of the next task, as it is sent. */
static void settle_counting(struct runner *runner, const struct wire *counted)
{
    struct groups *groups = &runner->groups;
    assert(waiting_to_count(runner));
    runner->counted++;
    if (groups->count && !--groups->size[groups->count - 1])
        groups->count--;
    report_queue(runner, WIRE_COUNTED, counted);
}

/* ---- Sending ---- */

static struct todo todo_of(const struct runner *runner, int i)
{
    struct todo todo = runner->task[i];
    if (i < runner->done)
        todo.what = in_next_group(runner, i) ? WIRE_TO_COUNT : WIRE_TO_SKIP;
    return todo;
}

void batch_send(struct runner *runner)
{
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, (uint32_t)runner->tasks);
    for (int i = 0; i < runner->tasks; i++) {
        const struct todo todo = todo_of(runner, i);
        wire_put_todo(&runner->out, &todo);
    }
    runner->state = RUNNER_MEASURING;
    runner->began = clock_now();
    timeline_enter(&runner->timeline, PHASE_messages, runner->began);
    trace_say(&runner->options.trace, "measures %d point%s, %d of them done before", runner->tasks,
              runner->tasks == 1 ? "" : "s", runner->done);
    begin_task(runner);
    worker_link_send(runner->worker, WIRE_MEASURE, &runner->out);
}

void batch_end(struct runner *runner)
{
    trace_say(&runner->options.trace, "measured %d of %d points in %.3f s", runner->done, runner->tasks,
              clock_now() - runner->began);
    report_results(runner, true);
    runner->tasks = runner->done = 0;
    runner->counts = false;
    if (runner->state == RUNNER_MEASURING) {
        runner->state = RUNNER_IDLE;
        timeline_enter(&runner->timeline, PHASE_wait_work, clock_now());
    }
}

void batch_recall(struct runner *runner)
{
    if (!runner->tasks)
        return;
    worker_link_kill(runner->worker);
    runner->state = RUNNER_STARTING;
    runner->start_at = 0;
    timeline_rename(&runner->timeline, PHASE_lost);
    timeline_enter(&runner->timeline, PHASE_start, clock_now());
    batch_end(runner);
}

/* ---- Results ---- */

static void describe_failure(const struct runner *runner, const char *why, char *text, size_t size)
{
    if (runner->stage[0])
        snprintf(text, size, "%.160s in stage '%.*s'", why, (int)size - 180, runner->stage);
    else
        snprintf(text, size, "%.160s before its first stage", why);
}

/* The current task has failed without a result from the worker. */
static void keep_failure(struct runner *runner, enum status status, const char *why)
{
    assert(runner->done < runner->tasks);
    const struct todo *task = &runner->task[runner->done];
    struct result result = result_new();
    result.id = task->id;
    result.repeat = (int32_t)task->repeat;
    result.real[REAL_seconds_total] = clock_now() - runner->task_started;
    result.status = status;
    describe_failure(runner, why, result.message, sizeof result.message);
    wire_reset(&runner->out);
    wire_put_result(&runner->out, &result);
    runner->done++;
    report_queue(runner, WIRE_RESULT, &runner->out);
}

static void fail_counting(struct runner *runner, const char *why)
{
    struct counted counted = {.index = (uint32_t)runner->counted,
                              .state = COUNTERS_MISSING,
                              .killed = true,
                              .activity = activity_none(),
                              .energy = energy_none()};
    describe_failure(runner, why, counted.why, sizeof counted.why);
    counted_fail_energy(&counted, runner->config.energy);
    wire_reset(&runner->out);
    wire_put_counted(&runner->out, &counted, runner->config.counter_count);
    settle_counting(runner, &runner->out);
}

/* A worker has died of counting the group: halve it. A group of one has found the point at fault. */
static void blame_group(struct runner *runner, const char *why)
{
    struct groups *groups = &runner->groups;
    if (!groups->count)
        groups->size[groups->count++] = waiting_to_count(runner);
    assert(groups->count <= (int)(sizeof groups->size / sizeof *groups->size));
    int size = groups->size[groups->count - 1];
    assert(size > 0 && size <= waiting_to_count(runner));
    if (size > 1) {
        groups->size[groups->count - 1] = size - size / 2;
        groups->size[groups->count++] = size / 2;
        return;
    }
    fail_counting(runner, why);
    if (++groups->deaths == DEATHS_MAX)
        while (waiting_to_count(runner))
            fail_counting(runner, why);
}

void batch_settle(struct runner *runner, enum status status, const char *why)
{
    if (runner->done < runner->tasks)
        keep_failure(runner, status, why);
    else
        blame_group(runner, why);
    if (runner->stopping || (runner->done == runner->tasks && !waiting_to_count(runner)))
        batch_end(runner); /* else a new worker measures and counts the rest */
}

bool batch_take_stage(struct runner *runner, struct wire_reader *payload)
{
    int index = (int)wire_get_u32(payload);
    bool counting = runner->done == runner->tasks;
    wire_get_text(payload, runner->stage, sizeof runner->stage);
    /* No stage of counting takes longer than a point, nor all of them longer than all points. */
    double timeout = runner->config.timing.timeout;
    if (counting)
        runner->deadline = fmin(clock_now() + timeout, runner->task_started + (1 + runner->tasks) * timeout);
    return runner->state == RUNNER_MEASURING && !payload->bad && (index == runner->done || counting);
}

/* After a result: continue timing, count, or end the batch. */
static void go_on(struct runner *runner)
{
    bool all = runner->done == runner->tasks, counts = waiting_to_count(runner);
    if (runner->stopping || (all && !counts)) {
        batch_end(runner);
        if (!all || counts) { /* stopped: the worker is busy with a dropped point */
            worker_link_kill(runner->worker);
            runner->state = RUNNER_LOST;
        }
    } else {
        begin_task(runner);
    }
}

bool batch_take_result(struct runner *runner, struct wire_reader *payload)
{
    struct result result;
    const struct wire same = wire_forward(payload);
    if (runner->state != RUNNER_MEASURING || runner->done == runner->tasks ||
        !wire_get_result(payload, &result))
        return false;
    const struct todo *task = &runner->task[runner->done];
    bool pair = wire_todo_is_pair(task->what);
    if (result.id != task->id || result.repeat != (int32_t)task->repeat || pair != (result.partner != NULL) ||
        (pair && result.partner->id != task->second_id))
        wire_refuse(payload, "of point %016" PRIx64 ", not %016" PRIx64, result.id, task->id);
    result_free(&result);
    if (payload->bad)
        return false;
    runner->done++;
    runner->failures = 0;
    report_queue(runner, WIRE_RESULT, &same);
    go_on(runner);
    return true;
}

bool batch_take_counted(struct runner *runner, struct wire_reader *payload)
{
    struct counted counted;
    const struct wire same = wire_forward(payload);
    if (!wire_get_counted(payload, &counted, runner->config.counter_count) ||
        runner->state != RUNNER_MEASURING || runner->done != runner->tasks ||
        counted.index != (uint32_t)runner->counted || !in_next_group(runner, runner->counted))
        return false;
    int groups = runner->groups.count;
    settle_counting(runner, &same);
    runner->groups.deaths = 0;
    if (!waiting_to_count(runner))
        batch_end(runner);
    else if (runner->groups.count < groups)
        batch_send(runner); /* the next group */
    return true;
}
