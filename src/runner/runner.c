#include "runner/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "kernels/registry.h"
#include "runner/runner_state.h"

#define END_SECONDS 3.0 /* s, for the last worker to end */
#define HEAR_MAX    64  /* messages of the worker in a step: one that floods its rank must not make it deaf */

/* ---- Messages of the worker ---- */

/* Phases of the worker, in the time of the rank's open phase. Before this runner began, nobody waited for
 * it. */
static bool take_phases(struct runner *runner, struct wire_reader *payload)
{
    struct phase_sum sum;
    double now = clock_now();
    for (uint32_t i = wire_get_u32(payload); i > 0 && timeline_get(payload, &sum); i--) {
        if (sum.seconds > now - runner->started)
            return false; /* not from a worker of this rank */
        timeline_claim(&runner->timeline, &sum, now);
    }
    return !payload->bad;
}

/* The first message of a worker. Restarting does not help if it is of another build, or no worker at all. */
static bool take_hello(struct runner *runner, struct wire_reader *payload)
{
    struct greeting greeting;
    struct build build = registry_build();
    struct error error;
    if (runner->state != RUNNER_STARTING)
        return false;
    greeting_get(payload, &greeting); /* if invalid, its build is empty and does not match */
    if (greeting_check(&greeting, &build, &error) != 0) {
        runner_give_up(runner, error.text);
        return true;
    }
    trace_say(&runner->options.trace, "the worker has opened %s after %.3f s", greeting.device.name,
              clock_now() - runner->began);
    runner->state = RUNNER_IDLE;
    runner_wait(runner);
    if (!runner->characterised)
        runner->device = greeting.device;
    memcpy(runner->pci, greeting.device.pci, sizeof runner->pci);
    runner->own[0] = '\0';
    if (greeting.traits.owns_device && strcmp(greeting.device.mig, "on") != 0)
        memcpy(runner->own, greeting.device.uuid, sizeof runner->own);
    if (!runner->greeted)
        report_forward(runner, WIRE_HELLO, payload);
    else if (greeting.closure_size)
        report_queue(
            runner, WIRE_LOADED,
            &(struct wire){.data = (unsigned char *)greeting.closure, .length = greeting.closure_size});
    runner->greeted = true;
    if (runner->configured)
        runner_configure_worker(runner);
    if (runner->peaks_tries)
        runner_characterise(runner);
    if (runner->tasks) {
        batch_send(runner);
        runner_prepare_worker(runner);
    }
    return true;
}

static bool take_fatal(struct runner *runner, struct wire_reader *payload)
{
    char why[512];
    wire_get_text(payload, why, sizeof why);
    if (payload->bad)
        return false;
    if (runner->state == RUNNER_STARTING && !runner->greeted) {
        /* The coordinator decides: another back end, or the end. */
        report_failure(runner, WIRE_FATAL, why);
        worker_link_kill(runner->worker);
        runner->state = RUNNER_LOST;
    } else {
        runner_replace_worker(runner, STATUS_CRASHED, why);
    }
    return true;
}

static bool take_device(struct runner *runner, struct wire_reader *payload)
{
    struct device device;
    if (runner->state != RUNNER_CHARACTERISING || !wire_get_fields(payload, wire_device, &device))
        return false;
    trace_say(&runner->options.trace, "peaks measured after %.3f s", clock_now() - runner->began);
    runner->state = RUNNER_IDLE;
    runner->failures = 0;
    runner_wait(runner); /* the other ranks may still be at it */
    runner->peaks_tries = 0;
    runner->characterised = true;
    runner->device = device;
    report_forward(runner, WIRE_DEVICE, payload);
    return true;
}

static bool take_note(struct runner *runner, struct wire_reader *payload)
{
    char note[512];
    wire_get_text(payload, note, sizeof note);
    if (payload->bad || runner->noted == runner->workers)
        return false; /* a worker has one */
    runner->noted = runner->workers;
    report_forward(runner, WIRE_NOTE, payload);
    return true;
}

static bool take_loaded(struct runner *runner, struct wire_reader *payload)
{
    const struct wire same = wire_forward(payload);
    if (runner->state == RUNNER_MEASURING && payload->length)
        report_queue(runner, WIRE_LOADED, &same);
    return runner->state == RUNNER_MEASURING && payload->length;
}

/* By type, from WIRE_HELLO on. Answers to questions that no runner asks are not taken. */
static const struct {
    const char *name;
    bool (*take)(struct runner *runner, struct wire_reader *payload);
} messages[] = {
#define X(name, take) [WIRE_##name - WIRE_HELLO] = {#name, take},
    X(HELLO, take_hello) X(DEVICE, take_device) X(COMPILED, NULL) X(STAGE, batch_take_stage)
        X(COUNTED, batch_take_counted) X(NOTE, take_note) X(RESULT, batch_take_result) X(FATAL, take_fatal)
            X(CHIP_ANSWER, NULL) X(PHASES, take_phases) X(LOADED, take_loaded) X(LISTING, NULL)
#undef X
};

static void take_message(struct runner *runner, enum wire_type type, struct wire_reader *payload)
{
    const bool answer = type >= WIRE_HELLO && type <= WIRE_LISTING;
    char why[192];
    const char *wrong;
    if (answer && messages[type - WIRE_HELLO].take && messages[type - WIRE_HELLO].take(runner, payload))
        return;
    wrong = payload->bad ? "a value in it is invalid" : "out of turn";
    snprintf(why, sizeof why, "the worker sent an unexpected message: %s: %s",
             answer ? messages[type - WIRE_HELLO].name : "a request", payload->why[0] ? payload->why : wrong);
    runner_replace_worker(runner, STATUS_CRASHED, why);
}

/* ---- Timeouts ---- */

static bool hear_worker(struct runner *runner)
{
    enum wire_type type;
    struct wire_reader payload;
    char why[192];
    if (runner->state == RUNNER_STARTING && !worker_link_is_free(runner->worker))
        return false; /* the earlier worker may still release the device */
    switch (worker_link_next(runner->worker, &type, &payload, why, sizeof why)) {
    case LINK_QUIET:
        return false;
    case LINK_MESSAGE:
        take_message(runner, type, &payload);
        break;
    case LINK_UNREADABLE:
        if (runner->state == RUNNER_STARTING)
            runner_give_up(runner, "what was started as warpsweep-worker sent a message that cannot be read: "
                                   "is it of another build, or no warpsweep-worker?");
        else
            runner_replace_worker(runner, STATUS_CRASHED, "the worker sent a message that cannot be read");
        break;
    case LINK_GONE:
        runner_replace_worker(runner, STATUS_CRASHED, why);
        break;
    }
    return true;
}

static bool check_deadline(struct runner *runner)
{
    char why[96];
    double now = clock_now();
    if (runner->stopping && now > runner->stop_at && runner->tasks) {
        worker_link_kill(runner->worker);
        runner->state = RUNNER_LOST;
        timeline_rename(&runner->timeline, PHASE_lost);
        runner_enter(runner, PHASE_wait_work);
        batch_end(runner);
        return true;
    }
    if (runner->state == RUNNER_IDLE || runner->state == RUNNER_LOST || !worker_link_is_up(runner->worker))
        return false;
    bool watched = runner->state == RUNNER_STARTING || runner->state == RUNNER_CHARACTERISING;
    bool silent = watched && runner_worker_is_stuck(runner);
    if (!silent && now < runner->deadline)
        return false;
    if (runner->state == RUNNER_MEASURING)
        snprintf(why, sizeof why, "no result within %g s", runner->config.timing.timeout);
    else if (silent)
        snprintf(why, sizeof why, "the worker is stopped or stuck: no message and no CPU time for too long");
    else
        snprintf(why, sizeof why, "no answer from the worker for too long");
    runner_replace_worker(runner, STATUS_TIMED_OUT, why);
    return true;
}

static void send_heartbeat(struct runner *runner)
{
    double now = heartbeat_now(&runner->heartbeat);
    if (runner->heartbeat_sent > 0 &&
        now - runner->heartbeat_sent < runner->options.silence / HEARTBEATS_PER_TIMEOUT)
        return;
    runner->heartbeat_sent = now;
    mailbox_send(runner->mailbox, COORDINATOR, WIRE_HEARTBEAT, NULL);
}

bool runner_is_alone(struct runner *runner)
{
    return heartbeat_now(&runner->heartbeat) - runner->heard > HEARTBEAT_PATIENCE * runner->options.silence;
}

bool runner_step(struct runner *runner)
{
    bool active = false;
    send_heartbeat(runner);
    if (!runner->over && !worker_link_is_up(runner->worker) && runner->state == RUNNER_STARTING &&
        clock_now() >= runner->start_at &&
        (worker_link_is_free(runner->worker) || worker_link_is_leaving(runner->worker))) {
        runner_start_worker(runner);
        active = true;
    }
    for (int heard = 0; heard < HEAR_MAX && hear_worker(runner); heard++)
        active = true;
    active |= check_deadline(runner);
    active |= compiling_step(runner);
    if (runner->reports.length && clock_now() - runner->reports_since > FLUSH_SECONDS)
        report_results(runner, false);
    if (runner->timeline.count && clock_now() - runner->phases_since > PHASES_SECONDS)
        report_phases(runner, false);
    return active;
}

int runner_descriptor(const struct runner *runner)
{
    return worker_link_descriptor(runner->worker);
}

bool runner_is_over(const struct runner *runner)
{
    return runner->over;
}

/* Use the worker that was started early, or let runner_step start one. */
static void begin_with_worker(struct runner *runner)
{
    if (!worker_link_is_up(runner->worker)) {
        runner_start_worker_when_free(runner);
        return;
    }
    runner_note_worker_start(runner, runner->options.started);
    trace_say(&runner->options.trace, "has started a worker, back end %s, %.3f s before", runner->backend,
              runner->opened - runner->started);
}

struct runner *runner_new(const struct runner_options *options, struct mailbox *mailbox)
{
    struct runner *runner = memory_new(1, sizeof *runner);
    runner->options = *options;
    runner->options.silence = heartbeat_timeout(options->silence);
    runner->mailbox = mailbox;
    runner->worker = options->worker;
    runner->compiler = worker_link_new();
    runner->config = config_standard();
    snprintf(runner->backend, sizeof runner->backend, "%s", options->backend);
    if (options->entered > 0) {
        timeline_enter(&runner->timeline, PHASE_program, options->born);
        timeline_enter(&runner->timeline, PHASE_mpi, options->entered);
    }
    runner->opened = clock_now();
    wire_put_fields(&runner->out, wire_home, &runner->options.home);
    mailbox_send(mailbox, COORDINATOR, WIRE_HOME, &runner->out);
    begin_with_worker(runner);
    return runner;
}

void runner_free(struct runner *runner)
{
    trace_say(&runner->options.trace, "the worker is dismissed");
    if (runner->state == RUNNER_IDLE)
        worker_link_dismiss(runner->worker);
    worker_link_kill(runner->worker);
    compiling_end(runner);
    /* No worker should outlive its rank. One that is stuck in a driver dies when the driver returns. */
    for (double end = clock_now() + END_SECONDS; clock_now() < end; usleep(1000))
        if (worker_link_is_free(runner->worker) && worker_link_is_free(runner->compiler))
            break;
    worker_link_free(runner->worker);
    worker_link_free(runner->compiler);
    wire_free(&runner->reports);
    wire_free(&runner->out);
    timeline_free(&runner->timeline);
    free(runner);
}
