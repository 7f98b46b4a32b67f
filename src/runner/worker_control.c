#include "runner/runner_state.h"

#include <stdio.h>

#include "base/clock.h"

#define FAILED_STARTS_MAX 3

/* Opening a device is slow on a large node: some 30 s if all ranks open theirs at once. */
#define START_SECONDS 120.0

/* Times options.silence without CPU time: longer than the timeout of a rank, but not much. */
#define START_SILENCE 1.5

#define RESTART_PAUSE 0.2 /* s before another start after a failed one */

void runner_give_up(struct runner *runner, const char *why)
{
    worker_link_kill(runner->worker);
    trace_say(&runner->options.trace, "gives up: %s", why);
    report_failure(runner, WIRE_LOST, why);
    runner->state = RUNNER_LOST;
    runner_enter(runner, PHASE_wait_work);
}

/* All starts have failed. */
static void fail_start(struct runner *runner, const char *why)
{
    char text[1024];
    snprintf(text, sizeof text,
             "%s before it said anything; is the warpsweep-worker beside warpsweep of the same build?", why);
    runner_give_up(runner, runner->greeted ? why : text);
}

void runner_watch_worker(struct runner *runner)
{
    runner->busy = 0;
    runner->active_at = heartbeat_now(&runner->heartbeat);
}

bool runner_worker_is_stuck(struct runner *runner)
{
    double now = heartbeat_now(&runner->heartbeat), busy = worker_link_busy(runner->worker);
    if (busy != runner->busy) {
        runner->busy = busy;
        runner->active_at = now;
    }
    return now - runner->active_at > START_SILENCE * runner->options.silence;
}

void runner_note_worker_start(struct runner *runner, double time)
{
    report_results(runner, false); /* they name the process before */
    runner_watch_worker(runner);
    runner->state = RUNNER_STARTING;
    runner->workers++;
    runner->began = runner->started = time;
    runner->deadline = runner->began + START_SECONDS;
    runner_enter(runner, PHASE_start);
}

/* A worker that sees its own device only opens it in a third of the time on a node of four GPUs (0.2 instead
 * of 0.6 s). Not the first one, which is started before the job is known, nor one after a failed start. */
static const char *visible_device(const struct runner *runner)
{
    return runner->configured && runner->config.one_device && !runner->failures ? runner->own : "";
}

void runner_start_worker(struct runner *runner)
{
    struct error error;
    runner_note_worker_start(runner, clock_now());
    trace_say(&runner->options.trace, "starts a worker, back end %s", runner->backend);
    if (worker_link_start(runner->worker, runner->backend, runner->options.home.local_rank,
                          visible_device(runner), &error) != 0)
        runner_give_up(runner, error.text);
}

/* Loading the driver takes half a second and more where four ranks do it at once, and leaves the device
 * alone. */
void runner_prepare_worker(struct runner *runner)
{
    const int left = (int)runner->config.timing.replicates - (int)runner->workers;
    if (runner->configured && left > 0)
        worker_link_prepare(runner->worker, left < runner->spares_max ? left : runner->spares_max,
                            runner->backend, runner->options.home.local_rank, visible_device(runner));
}

void runner_start_worker_when_free(struct runner *runner)
{
    runner->state = RUNNER_STARTING;
    runner->start_at = 0;
    runner_enter(runner, PHASE_start);
}

void runner_configure_worker(struct runner *runner)
{
    wire_reset(&runner->out);
    wire_put_fields(&runner->out, wire_config, &runner->config);
    worker_link_send(runner->worker, WIRE_CONFIG, &runner->out);
    if (!runner->characterised)
        return;
    wire_reset(&runner->out);
    wire_put_fields(&runner->out, wire_device, &runner->device);
    worker_link_send(runner->worker, WIRE_DEVICE, &runner->out);
}

void runner_replace_worker(struct runner *runner, enum status status, const char *why)
{
    enum runner_state was = runner->state;
    worker_link_kill(runner->worker);
    if (was == RUNNER_LOST)
        return;
    if (was != RUNNER_IDLE) /* the time since it last reported */
        timeline_rename(&runner->timeline, PHASE_lost);
    trace_say(&runner->options.trace, "the worker has to be replaced: %s", why);
    runner_start_worker_when_free(runner);
    switch (was) {
    case RUNNER_MEASURING:
        runner->failures = 0;
        batch_settle(runner, status, why);
        if (runner->stopping) {
            runner->state = RUNNER_LOST;
            runner_enter(runner, PHASE_wait_work);
        }
        break;
    case RUNNER_CHARACTERISING:
        if (!runner->peaks_tries) /* else the next worker measures them again */
            report_failure(runner, WIRE_FATAL, why);
        break;
    default:
        runner->start_at = clock_now() + RESTART_PAUSE;
        if (++runner->failures == FAILED_STARTS_MAX)
            fail_start(runner, why);
        break;
    }
}
