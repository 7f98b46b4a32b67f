#include "launch/runner/batch.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "launch/runner/reports.h"

static bool counts(const struct runner *runner)
{
    return runner->config.counter_count > 0;
}

static void begin_task(struct runner *runner)
{
    runner->stage[0] = '\0';
    runner->task_started = clock_now();
    runner->deadline = runner->task_started + runner->config.timing.timeout;
}

static void allow_counting(struct runner *runner)
{
    runner->deadline = clock_now() + runner->config.timing.timeout * runner->tasks;
}

/* What is left to be done with task i; `ok`: it was timed, and may be counted. */
static enum wire_todo todo_of(const struct runner *runner, int i, bool ok)
{
    bool replicate = runner->task[i].replicate;
    if (i >= runner->done)
        return replicate ? WIRE_TO_REPLICATE : WIRE_TO_MEASURE;
    return ok && !replicate ? WIRE_TO_COUNT : WIRE_TO_SKIP;
}

void batch_send(struct runner *runner)
{
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, (uint32_t)runner->tasks);
    for (int i = 0; i < runner->tasks; i++) {
        bool ok = i < runner->done && counts(runner) && runner->held[i].status == STATUS_OK;
        wire_put_u32(&runner->out, todo_of(runner, i, ok));
        wire_put_u64(&runner->out, runner->task[i].id);
        wire_put_u32(&runner->out, runner->task[i].repeat);
        wire_put_real(&runner->out, ok ? runner->held[i].real[REAL_l2_dirty] : NAN);
        wire_put_point(&runner->out, &runner->task[i].point);
    }
    runner->state = RUNNER_MEASURING;
    runner->began = clock_now();
    trace_say(&runner->options.trace, "measures %d point%s, %d of them done before", runner->tasks,
              runner->tasks == 1 ? "" : "s", runner->done);
    begin_task(runner);
    if (runner->done == runner->tasks)
        allow_counting(runner);
    worker_link_send(runner->worker, WIRE_MEASURE, &runner->out);
}

static void pass_on(struct runner *runner, struct result *result)
{
    result->process = runner->workers;
    if (!runner->results_count)
        runner->results_since = clock_now();
    wire_put_result(&runner->results, result, runner->config.counter_count);
    runner->results_count++;
    result_free(result);
}

void batch_end(struct runner *runner)
{
    trace_say(&runner->options.trace, "measured %d of %d points in %.3f s", runner->done, runner->tasks,
              clock_now() - runner->began);
    for (int i = 0; i < runner->done && counts(runner); i++)
        pass_on(runner, &runner->held[i]);
    report_results(runner, true);
    runner->tasks = runner->done = 0;
    if (runner->state == RUNNER_MEASURING)
        runner->state = RUNNER_IDLE;
}

/* Takes over the result and its samples. */
static void keep_result(struct runner *runner, struct result *result)
{
    if (counts(runner))
        runner->held[runner->done] = *result;
    else
        pass_on(runner, result);
    runner->done++;
}

/* The current task came to nothing, for a reason that is not the worker's to tell. */
static void keep_failure(struct runner *runner, enum status status, const char *why)
{
    const struct task *task = &runner->task[runner->done];
    struct result result = result_new();
    result.id = task->id;
    result.repeat = (int32_t)task->repeat;
    result.real[REAL_seconds_total] = clock_now() - runner->task_started;
    if (runner->stage[0])
        result_fail(&result, status, "%s in stage '%s'", why, runner->stage);
    else
        result_fail(&result, status, "%s before its first stage", why);
    keep_result(runner, &result);
}

static bool some_to_count(const struct runner *runner)
{
    for (int i = 0; i < runner->done && counts(runner); i++)
        if (runner->held[i].status == STATUS_OK)
            return true;
    return false;
}

void batch_settle(struct runner *runner, enum status status, const char *why)
{
    if (runner->done < runner->tasks) {
        keep_failure(runner, status, why);
        if (!runner->stopping && (runner->done < runner->tasks || some_to_count(runner)))
            return; /* a new worker measures the rest, and then counts all */
    } else {
        for (int i = 0; i < runner->tasks; i++)
            if (runner->held[i].status == STATUS_OK && !runner->held[i].message[0])
                snprintf(runner->held[i].message, sizeof runner->held[i].message, "not counted: %s", why);
    }
    batch_end(runner);
}

void batch_free(struct runner *runner)
{
    for (int i = 0; i < runner->done && counts(runner); i++)
        result_free(&runner->held[i]);
    runner->tasks = runner->done = 0;
}

bool batch_take_stage(struct runner *runner, struct wire_reader *payload)
{
    int index = (int)wire_get_u32(payload);
    wire_get_text(payload, runner->stage, sizeof runner->stage);
    /* Once all are timed, the stages are those of counting. */
    return runner->state == RUNNER_MEASURING && !payload->bad &&
           (index == runner->done || runner->done == runner->tasks);
}

/* After a result: more to time, all to be counted, or the end. */
static void go_on(struct runner *runner)
{
    bool all = runner->done == runner->tasks;
    if (runner->stopping || (all && !counts(runner))) {
        batch_end(runner);
        if (!all || counts(runner)) { /* the worker is at something by now that nobody waits for */
            worker_link_kill(runner->worker);
            runner->state = RUNNER_LOST;
        }
    } else {
        begin_task(runner);
        if (all)
            allow_counting(runner);
    }
}

bool batch_take_result(struct runner *runner, struct wire_reader *payload)
{
    struct result result;
    if (runner->state != RUNNER_MEASURING || runner->done == runner->tasks ||
        !wire_get_result(payload, &result, runner->config.counter_count))
        return false;
    const struct task *task = &runner->task[runner->done];
    if (result.id != task->id || result.repeat != (int32_t)task->repeat) {
        result_free(&result);
        return false;
    }
    keep_result(runner, &result);
    runner->failures = 0;
    go_on(runner);
    return true;
}

bool batch_take_counted(struct runner *runner, struct wire_reader *payload)
{
    uint32_t index = wire_get_u32(payload), count = wire_get_u32(payload);
    if (runner->state != RUNNER_MEASURING || !counts(runner) || runner->done != runner->tasks ||
        index >= (uint32_t)runner->tasks || (count && count != (uint32_t)runner->config.counter_count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        runner->held[index].counter[i] = wire_get_real(payload);
    if (payload->bad)
        return false;
    if (index + 1 == (uint32_t)runner->tasks)
        batch_end(runner);
    return true;
}
