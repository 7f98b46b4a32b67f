#include "launch/runner/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/birth.h"
#include "base/clock.h"
#include "base/memory.h"
#include "kernels/registry.h"
#include "launch/runner/batch.h"
#include "launch/runner/binding.h"
#include "launch/runner/reports.h"
#include "launch/runner/runner_state.h"
#include "process/cache_folder.h"

#define STARTS_MOST        3
#define START_SECONDS      120.0 /* opening a device takes seconds on a large node */
#define RESTART_PAUSE      0.2   /* before another attempt after a failed start */
#define CHARACTERISE_LIMIT 300.0
#define END_SECONDS        3.0 /* for the last worker to end */

/* ---- The timeline ---- */

/* The rank is in this phase from now on; while its worker is at something, what that tells goes before. */
static void enter(struct runner *runner, enum phase phase)
{
    timeline_enter(&runner->timeline, phase, 0, clock_now());
}

/* What the worker was at. Both clocks are this machine's. What it did before there was this runner kept nobody waiting. */
static bool take_spans(struct runner *runner, struct wire_reader *payload)
{
    struct span span;
    double now = clock_now();
    for (uint32_t i = wire_get_u32(payload); i > 0 && timeline_get(payload, &span); i--) {
        if (span.end > now || span.start < runner->started)
            return false; /* of no worker of this rank */
        span.start = fmax(span.start, runner->opened);
        if (span.end > span.start)
            timeline_lay(&runner->timeline, &span);
    }
    return !payload->bad;
}

/* ---- Telling the worker ---- */

/* There is no worker, and there will be none. */
static void give_up(struct runner *runner, const char *why)
{
    worker_link_kill(runner->worker);
    if (runner->greeted)
        report_lost(runner, why);
    else
        report_hello(runner, HELLO_NO_WORKER, NULL, why);
    runner->state = RUNNER_LOST;
    enter(runner, PHASE_wait_work);
}

/* No start came to anything. */
static void give_up_starting(struct runner *runner, const char *why)
{
    char text[1024];
    snprintf(text, sizeof text,
             "%s before it said anything; is what lies beside warpsweep its warpsweep-worker?", why);
    give_up(runner, runner->greeted ? why : text);
}

/* One is started now, or was. */
static void note_start(struct runner *runner, double time)
{
    runner->state = RUNNER_STARTING;
    runner->workers++;
    runner->began = runner->started = time;
    runner->deadline = runner->began + START_SECONDS;
    enter(runner, PHASE_start);
}

static void start_worker(struct runner *runner)
{
    struct error error;
    note_start(runner, clock_now());
    trace_say(&runner->options.trace, "starts a worker, back end %s", runner->backend);
    if (worker_link_start(runner->worker, runner->backend, runner->options.local_rank, &error) != 0)
        give_up(runner, error.text);
}

/* As soon as the one before it has given the device back: runner_step. */
static void start_when_free(struct runner *runner)
{
    runner->state = RUNNER_STARTING;
    runner->start_at = 0;
    enter(runner, PHASE_start);
}

static void configure_worker(struct runner *runner)
{
    wire_reset(&runner->out);
    wire_put_config(&runner->out, &runner->config);
    worker_link_send(runner->worker, WIRE_CONFIG, &runner->out);
    if (!runner->characterised)
        return;
    wire_reset(&runner->out);
    wire_put_device(&runner->out, &runner->device);
    worker_link_send(runner->worker, WIRE_DEVICE, &runner->out);
}

/* The worker is gone, or has to go: settle what it was at, and get another one. */
static void replace_worker(struct runner *runner, enum status status, const char *why)
{
    enum runner_state was = runner->state;
    worker_link_kill(runner->worker);
    if (was == RUNNER_LOST)
        return;
    if (was != RUNNER_IDLE) /* what it did since it last told */
        timeline_rename(
            &runner->timeline, PHASE_lost,
            was == RUNNER_MEASURING && runner->done < runner->tasks ? runner->task[runner->done].id : 0);
    enter(runner, PHASE_start);
    trace_say(&runner->options.trace, "the worker has to be replaced: %s", why);
    runner->state = RUNNER_STARTING;
    runner->start_at = 0;
    switch (was) {
    case RUNNER_MEASURING:
        runner->failures = 0;
        batch_settle(runner, status, why);
        if (runner->stopping) {
            runner->state = RUNNER_LOST;
            enter(runner, PHASE_wait_work);
        }
        break;
    case RUNNER_CHARACTERISING:
        report_device(runner, NULL, why);
        break;
    case RUNNER_COMPILING:
        runner->compile_bad++;
        snprintf(runner->compile_log, sizeof runner->compile_log, "%s", why);
        report_compiled(runner);
        break;
    default:
        runner->start_at = clock_now() + RESTART_PAUSE;
        if (++runner->failures == STARTS_MOST)
            give_up_starting(runner, why);
        break;
    }
}

/* ---- What the worker says ---- */

/* The first message of a worker. One of another build, or what is no worker at all, will not get better by
 * being started again. */
static bool take_hello(struct runner *runner, struct wire_reader *payload)
{
    struct greeting greeting;
    struct build build = registry_build();
    struct error error;
    if (runner->state != RUNNER_STARTING)
        return false;
    greeting_get(payload, &greeting); /* what is none has no build, which is another than ours */
    if (greeting_check(&greeting, &build, &error) != 0) {
        give_up(runner, error.text);
        return true;
    }
    trace_say(&runner->options.trace, "the worker has opened %s after %.3f s", greeting.device.name,
              clock_now() - runner->began);
    runner->state = RUNNER_IDLE;
    enter(runner, runner->measured ? PHASE_wait_work : PHASE_wait_ranks);
    memcpy(runner->pci, greeting.device.pci, sizeof runner->pci);
    if (!runner->greeted)
        report_hello(runner, HELLO_OPENED, &greeting, "");
    if (runner->configured)
        configure_worker(runner);
    if (runner->tasks)
        batch_send(runner);
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
        report_hello(runner, HELLO_NO_DEVICE, NULL, why);
        worker_link_kill(runner->worker);
        runner->state = RUNNER_LOST;
    } else {
        replace_worker(runner, STATUS_CRASHED, why);
    }
    return true;
}

static bool take_device(struct runner *runner, struct wire_reader *payload)
{
    struct device device;
    if (runner->state != RUNNER_CHARACTERISING || !wire_get_device(payload, &device))
        return false;
    runner->state = RUNNER_IDLE;
    enter(runner, PHASE_wait_ranks);
    runner->failures = 0;
    runner->characterised = true;
    runner->device = device;
    report_device(runner, &device, "");
    return true;
}

static bool take_compiled(struct runner *runner, struct wire_reader *payload)
{
    char log[1024];
    wire_get_u32(payload); /* which one: the coordinator needs only how many failed, and why */
    bool ok = wire_get_u32(payload);
    wire_get_text(payload, log, sizeof log);
    wire_get_real(payload);
    if (runner->state != RUNNER_COMPILING || payload->bad)
        return false;
    if (!ok && !runner->compile_bad++)
        memcpy(runner->compile_log, log, sizeof log);
    if (!--runner->to_compile) {
        runner->state = RUNNER_IDLE;
        enter(runner, PHASE_wait_ranks);
        runner->failures = 0;
        report_compiled(runner);
    }
    return true;
}

static bool take_note(struct runner *runner, struct wire_reader *payload)
{
    char note[512];
    wire_get_text(payload, note, sizeof note);
    if (!payload->bad)
        report_note(runner, note);
    return !payload->bad;
}

static bool take_message(struct runner *runner, enum wire_type type, struct wire_reader *payload)
{
    switch (type) {
    case WIRE_HELLO:
        return take_hello(runner, payload);
    case WIRE_FATAL:
        return take_fatal(runner, payload);
    case WIRE_DEVICE:
        return take_device(runner, payload);
    case WIRE_COMPILED:
        return take_compiled(runner, payload);
    case WIRE_STAGE:
        return batch_take_stage(runner, payload);
    case WIRE_RESULT:
        return batch_take_result(runner, payload);
    case WIRE_COUNTED:
        return batch_take_counted(runner, payload);
    case WIRE_SPANS:
        return take_spans(runner, payload);
    case WIRE_NOTE:
        return take_note(runner, payload);
    default:
        return false;
    }
}

/* ---- What the coordinator says ---- */

static void restart_as(struct runner *runner, struct wire_reader *payload)
{
    worker_link_kill(runner->worker);
    wire_get_text(payload, runner->backend, sizeof runner->backend);
    runner->greeted = false;
    runner->failures = 0;
    start_when_free(runner);
}

static void take_config(struct runner *runner, struct wire_reader *payload)
{
    char token[128];
    int share = (int)wire_get_u32(payload), shares = (int)wire_get_u32(payload);
    wire_get_text(payload, token, sizeof token);
    wire_get_config(payload, &runner->config);
    cache_folder_find(runner->config.cache_folder, sizeof runner->config.cache_folder, NULL);
    binding_choose(runner->pci, share, shares, &runner->config);
    runner->configured = true;
    trace_say(&runner->options.trace, "configured: CPUs %s, %d thread%s, %d counters",
              runner->config.cpus[0] ? runner->config.cpus : "as they were", runner->config.threads,
              runner->config.threads == 1 ? "" : "s", runner->config.counter_count);
    if (runner->state == RUNNER_IDLE)
        configure_worker(runner);
    struct text path = {0};
    struct stat status;
    text_add(&path, "%s/%s", runner->config.cache_folder, token);
    report_ready(runner, token[0] && stat(path.data, &status) == 0);
    text_free(&path);
}

static void take_characterise(struct runner *runner, struct wire_reader *payload)
{
    uint32_t part = wire_get_u32(payload);
    if (runner->state != RUNNER_IDLE) { /* its worker died while it had nothing to do */
        report_device(runner, NULL, "the worker is being replaced");
        return;
    }
    runner->state = RUNNER_CHARACTERISING;
    enter(runner, PHASE_messages);
    runner->began = clock_now();
    runner->deadline = clock_now() + CHARACTERISE_LIMIT;
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, part);
    worker_link_send(runner->worker, WIRE_CHARACTERISE, &runner->out);
}

static void take_compile(struct runner *runner, struct wire_reader *payload)
{
    struct wire request = {.data = (unsigned char *)payload->data, .length = payload->length};
    runner->to_compile = wire_get_u32(payload);
    runner->compile_bad = 0;
    runner->compile_log[0] = '\0';
    if (runner->state != RUNNER_IDLE) { /* what is not in the cache is compiled when it is measured */
        report_compiled(runner);
        return;
    }
    runner->state = RUNNER_COMPILING;
    enter(runner, PHASE_messages);
    runner->began = clock_now();
    trace_say(&runner->options.trace, "compiles for %u points", runner->to_compile);
    runner->deadline = clock_now() + runner->config.timing.timeout * (1 + (double)runner->to_compile);
    worker_link_send(runner->worker, WIRE_COMPILE, &request); /* the worker's request is the same */
}

/* A further process is to measure: this one has done its part. So it is when points that load the host link are over:
 * in a process that has launched graphs of kernels and copies, each kernel of any later graph takes 0.1 to 0.2 us longer
 * (seen on H100 and H200, driver 580: 1.06 became 1.17 and 1.26 us). */
static void renew_worker(struct runner *runner, uint32_t round)
{
    runner->round = round > runner->round ? round : runner->round;
    if (runner->state != RUNNER_IDLE)
        return; /* a new one is on its way anyhow */
    worker_link_dismiss(runner->worker);
    start_when_free(runner);
}

static void take_measure(struct runner *runner, struct wire_reader *payload)
{
    uint32_t count = wire_get_u32(payload), round = wire_get_u32(payload);
    bool fresh = wire_get_u32(payload);
    enum phase waited = (enum phase)wire_get_u32(payload);
    if (runner->state == RUNNER_IDLE && runner->measured && waited < PHASE_COUNT)
        timeline_rename(&runner->timeline, waited, 0);
    runner->measured = true;
    runner->tasks = runner->done = 0;
    runner->groups = (struct groups){0};
    for (uint32_t i = 0; i < count && i < MESSAGE_BATCH_MOST; i++) {
        struct task *task = &runner->task[runner->tasks++];
        task->id = wire_get_u64(payload);
        task->repeat = wire_get_u32(payload);
        task->todo = (enum wire_todo)wire_get_u32(payload);
        task->dirty = wire_get_real(payload);
        wire_get_point(payload, family_space, &task->point);
        task->counted_later = task->todo == WIRE_TO_COUNT;
        runner->done += task->counted_later; /* a batch is timed, or counted, as a whole */
    }
    bool linked = runner->tasks && family_of(&runner->task[0].point)->node_exclusive;
    if (round > runner->round || fresh || (runner->linked && !linked))
        renew_worker(runner, round);
    runner->linked = linked;
    if (runner->state == RUNNER_IDLE)
        batch_send(runner);
    /* else a new worker is on its way, and gets them when it is there */
}

void runner_receive(struct runner *runner, enum message message, struct wire_reader *payload)
{
    runner->heard = pulse_now(&runner->pulse);
    switch (message) {
    case MESSAGE_START:
        restart_as(runner, payload);
        break;
    case MESSAGE_CONFIG:
        take_config(runner, payload);
        break;
    case MESSAGE_CHARACTERISE:
        take_characterise(runner, payload);
        break;
    case MESSAGE_COMPILE:
        take_compile(runner, payload);
        break;
    case MESSAGE_MEASURE:
        take_measure(runner, payload);
        break;
    case MESSAGE_RECALL:
        batch_recall(runner);
        break;
    case MESSAGE_STOP:
        runner->stopping = true;
        runner->stop_at = clock_now() + wire_get_real(payload);
        break;
    case MESSAGE_END:
        runner->over = true;
        if (runner->state == RUNNER_MEASURING) /* nobody waits for what it was at */
            timeline_rename(&runner->timeline, PHASE_lost, 0);
        enter(runner, PHASE_end);
        report_spans(runner, true);
        break;
    default:
        break; /* the coordinator sends nothing else */
    }
}

/* ---- Watching over the worker ---- */

static bool hear_worker(struct runner *runner)
{
    enum wire_type type;
    struct wire_reader payload;
    char why[192];
    switch (worker_link_next(runner->worker, &type, &payload, why, sizeof why)) {
    case LINK_QUIET:
        return false;
    case LINK_MESSAGE:
        if (!take_message(runner, type, &payload))
            replace_worker(runner, STATUS_CRASHED, "the worker sent a message that does not fit");
        break;
    case LINK_UNREADABLE:
        if (runner->state == RUNNER_STARTING)
            give_up(runner,
                    "what was started as warpsweep-worker sent a message that cannot be read: is it of "
                    "another build, or no warpsweep-worker?");
        else
            replace_worker(runner, STATUS_CRASHED, "the worker sent a message that cannot be read");
        break;
    case LINK_GONE:
        replace_worker(runner, STATUS_CRASHED, why);
        break;
    }
    return true;
}

static bool see_deadline(struct runner *runner)
{
    char why[96];
    double now = clock_now();
    if (runner->stopping && now > runner->stop_at && runner->tasks) {
        worker_link_kill(runner->worker);
        runner->state = RUNNER_LOST;
        timeline_rename(&runner->timeline, PHASE_lost, 0);
        enter(runner, PHASE_wait_work);
        batch_end(runner);
        return true;
    }
    if (runner->state == RUNNER_IDLE || runner->state == RUNNER_LOST || now < runner->deadline ||
        !worker_link_is_up(runner->worker))
        return false;
    if (runner->state == RUNNER_MEASURING)
        snprintf(why, sizeof why, "no result within %g s", runner->config.timing.timeout);
    else
        snprintf(why, sizeof why, "the worker gave no answer for too long");
    replace_worker(runner, STATUS_TIMED_OUT, why);
    return true;
}

static void beat(struct runner *runner)
{
    double now = pulse_now(&runner->pulse);
    if (runner->beat > 0 && now - runner->beat < runner->options.silence / PULSE_BEATS)
        return;
    runner->beat = now;
    mailbox_send(runner->mailbox, runner->options.coordinator, MESSAGE_BEAT, NULL);
}

bool runner_is_alone(struct runner *runner)
{
    return pulse_now(&runner->pulse) - runner->heard > PULSE_PATIENCE * runner->options.silence;
}

bool runner_step(struct runner *runner)
{
    bool active = false;
    beat(runner);
    if (!runner->over && !worker_link_is_up(runner->worker) && runner->state == RUNNER_STARTING &&
        clock_now() >= runner->start_at && worker_link_is_free(runner->worker)) {
        start_worker(runner);
        active = true;
    }
    while (hear_worker(runner))
        active = true;
    active |= see_deadline(runner);
    if (report_is_due(runner))
        report_results(runner, false);
    if (runner->timeline.count && clock_now() - runner->spans_since > SPANS_SECONDS)
        report_spans(runner, false);
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

/* The one that was started beforehand; or another, as soon as the runner is asked to step. */
static void begin_with_worker(struct runner *runner)
{
    if (!worker_link_is_up(runner->worker)) {
        start_when_free(runner);
        return;
    }
    note_start(runner, runner->options.started);
    trace_say(&runner->options.trace, "has started a worker, back end %s, %.3f s before", runner->backend,
              runner->opened - runner->started);
}

struct runner *runner_new(const struct runner_options *options, struct mailbox *mailbox)
{
    struct runner *runner = memory_new(1, sizeof *runner);
    runner->options = *options;
    if (runner->options.silence <= 0)
        runner->options.silence = PULSE_SILENCE;
    runner->mailbox = mailbox;
    runner->worker = options->worker;
    runner->config = config_standard();
    snprintf(runner->backend, sizeof runner->backend, "%s", options->backend);
    if (options->entered > 0) {
        timeline_enter(&runner->timeline, PHASE_program, 0, options->born);
        timeline_enter(&runner->timeline, PHASE_mpi, 0, options->entered);
    }
    runner->clock_offset = birth_clock_offset();
    runner->opened = clock_now();
    begin_with_worker(runner);
    return runner;
}

void runner_free(struct runner *runner)
{
    trace_say(&runner->options.trace, "the worker is dismissed");
    if (runner->state == RUNNER_IDLE)
        worker_link_dismiss(runner->worker);
    worker_link_kill(runner->worker);
    /* None is to outlive its rank; one that a driver holds on to dies when that lets go of it. */
    for (double end = clock_now() + END_SECONDS; !worker_link_is_free(runner->worker) && clock_now() < end;)
        usleep(1000);
    worker_link_free(runner->worker);
    wire_free(&runner->results);
    wire_free(&runner->counted);
    wire_free(&runner->out);
    timeline_free(&runner->timeline);
    free(runner);
}
