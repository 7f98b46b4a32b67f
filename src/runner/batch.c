#include "runner/runner_state.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/clock.h"

#define DEATHS_MAX                                                                                           \
    4 /* consecutive points that kill a counting worker; then counting the rest of a batch is given up */

static void begin_task(struct runner *runner)
{
    runner->stage[0] = '\0';
    runner->task_started = clock_now();
    bool pair = wire_todo_is_pair(runner->task[runner->done].what);
    runner->deadline = runner->task_started + (pair ? 2 : 1) * runner->config.timing.timeout;
}

void batch_send(struct runner *runner)
{
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, (uint32_t)runner->tasks);
    for (int i = 0; i < runner->tasks; i++)
        wire_put_todo(&runner->out, &runner->task[i]);
    runner->state = RUNNER_MEASURING;
    runner->began = clock_now();
    timeline_enter(&runner->timeline, PHASE_messages, runner->began);
    trace_say(&runner->options.trace, "%s %d point%s", runner->counts ? "counts" : "measures", runner->tasks,
              runner->tasks == 1 ? "" : "s");
    begin_task(runner);
    worker_link_send(runner->worker, WIRE_MEASURE, &runner->out);
}

void batch_end(struct runner *runner)
{
    trace_say(&runner->options.trace, "measured %d of %d points in %.3f s", runner->done, runner->tasks,
              clock_now() - runner->began);
    report_results(runner, true);
    runner->tasks = runner->done = 0;
    if (runner->state == RUNNER_MEASURING) {
        runner->state = RUNNER_IDLE;
        runner_wait(runner);
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

/* The result of the next task, as it is sent. */
static void settle(struct runner *runner, enum wire_type type, const struct wire *result)
{
    assert(runner->done < runner->tasks);
    runner->done++;
    report_queue(runner, type, result);
}

/* The current task has failed without a result from the worker. */
static void keep_failure(struct runner *runner, enum status status, const char *why)
{
    const struct todo *task = &runner->task[runner->done];
    struct result result = result_new();
    result.id = task->id;
    result.repeat = (int32_t)task->repeat;
    result.real[REAL_seconds_total] = clock_now() - runner->task_started;
    result.status = status;
    describe_failure(runner, why, result.message, sizeof result.message);
    wire_reset(&runner->out);
    wire_put_result(&runner->out, &result);
    settle(runner, WIRE_RESULT, &runner->out);
}

static void fail_counting(struct runner *runner, const char *why)
{
    char text[sizeof((struct counted *)0)->why];
    describe_failure(runner, why, text, sizeof text);
    struct counted counted = counted_lost((uint32_t)runner->done, runner->config.energy, text);
    wire_reset(&runner->out);
    wire_put_fields(&runner->out, wire_counted, &counted);
    settle(runner, WIRE_COUNTED, &runner->out);
}

/* Nobody knows yet which point is to blame: the coordinator has halves of them counted apart. */
static void tell_death(struct runner *runner, const char *why)
{
    char text[256];
    describe_failure(runner, why, text, sizeof text);
    wire_reset(&runner->out);
    wire_put_text(&runner->out, text);
    mailbox_send(runner->mailbox, COORDINATOR, WIRE_DIED, &runner->out);
}

void batch_settle(struct runner *runner, enum status status, const char *why)
{
    if (!runner->counts)
        keep_failure(runner, status, why);
    else if (runner->tasks - runner->done == 1 || runner->deaths >= DEATHS_MAX) {
        runner->deaths++;
        while (runner->done < runner->tasks)
            fail_counting(runner, why);
    } else {
        tell_death(runner, why);
    }
    batch_end(runner);
}

bool batch_take_stage(struct runner *runner, struct wire_reader *payload)
{
    int index = (int)wire_get_u32(payload);
    wire_get_text(payload, runner->stage, sizeof runner->stage);
    /* No stage of counting takes longer than a point, nor all of them longer than all points. */
    double timeout = runner->config.timing.timeout;
    if (runner->counts)
        runner->deadline = fmin(clock_now() + timeout, runner->task_started + (1 + runner->tasks) * timeout);
    return runner->state == RUNNER_MEASURING && !payload->bad && (index == runner->done || runner->counts);
}

/* After a result. */
static void go_on(struct runner *runner)
{
    bool all = runner->done == runner->tasks;
    if (all || runner->stopping)
        batch_end(runner);
    else if (!runner->counts)
        begin_task(runner);
    if (!all && runner->stopping) { /* the worker is busy with a dropped point */
        worker_link_kill(runner->worker);
        runner->state = RUNNER_LOST;
    }
}

bool batch_take_result(struct runner *runner, struct wire_reader *payload)
{
    struct result result;
    const struct wire same = wire_forward(payload);
    if (runner->state != RUNNER_MEASURING || runner->counts || !wire_get_result(payload, &result))
        return false;
    const struct todo *task = &runner->task[runner->done];
    bool pair = wire_todo_is_pair(task->what);
    if (result.id != task->id || result.repeat != (int32_t)task->repeat || pair != (result.partner != NULL) ||
        (pair && result.partner->id != task->second_id))
        wire_refuse(payload, "of point %016" PRIx64 ", not %016" PRIx64, result.id, task->id);
    result_free(&result);
    if (payload->bad)
        return false;
    runner->failures = 0;
    settle(runner, WIRE_RESULT, &same);
    go_on(runner);
    return true;
}

bool batch_take_counted(struct runner *runner, struct wire_reader *payload)
{
    struct counted counted;
    const struct wire same = wire_forward(payload);
    if (runner->state != RUNNER_MEASURING || !runner->counts ||
        !wire_get_fields(payload, wire_counted, &counted) || counted.index != (uint32_t)runner->done)
        return false;
    runner->deaths = 0;
    settle(runner, WIRE_COUNTED, &same);
    go_on(runner);
    return true;
}
