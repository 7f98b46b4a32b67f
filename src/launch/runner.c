#include "launch/runner.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "kernels/family.h"
#include "launch/binding.h"
#include "launch/environment.h"
#include "launch/process.h"
#include "launch/wait.h"

#define STARTS_MOST        3
#define START_SECONDS      120.0 /* opening a device takes seconds on a large node */
#define RESTART_PAUSE      0.2   /* before another attempt after a failed start */
#define CHARACTERISE_LIMIT 300.0
#define DEATH_SECONDS      2.0  /* from the end of the pipe to the end of the process */
#define FLUSH_SECONDS      0.25 /* results are not held back longer than that */

enum state { STARTING, IDLE, CHARACTERISING, COMPILING, MEASURING, LOST };

struct task {
    uint64_t id;
    uint32_t repeat;
    struct point point;
};

struct runner {
    struct runner_options options;
    struct mailbox *mailbox;
    char backend[16], path[PATH_MAX];
    enum state state;
    bool over;

    struct process process;
    struct wire_stream stream;
    bool ended;      /* its pipe came to an end */
    double deadline; /* of what it is doing now; the end of its pipe sets a new one */
    int failures;    /* starts in a row that came to nothing */
    double start_at; /* when to try the next start, while there is no process */

    bool greeted; /* HELLO was sent up for this back end */
    bool configured;
    struct config config;
    char pci[DEVICE_TEXT_SIZE]; /* of the device; empty when it is no PCI device */

    struct task task[MESSAGE_BATCH_MOST]; /* the batch */
    int tasks, done;
    uint32_t first;      /* of the batch in the current request: a new worker gets the rest */
    double task_started; /* seconds */
    char stage[32];
    bool stopping;
    double stop_at;

    struct wire results; /* not sent up yet */
    uint32_t results_count;
    double results_since;
    struct wire out;                  /* scratch */
    uint32_t to_compile, compile_bad; /* answers that the current COMPILE waits for; failures among them */
    char compile_log[1024];
};

/* ---- Telling the coordinator ---- */

static void tell(struct runner *runner, enum message message)
{
    mailbox_send(runner->mailbox, runner->options.coordinator, message, &runner->out);
}

static void tell_hello(struct runner *runner, const struct device *device, const char *why)
{
    struct wire *out = &runner->out;
    struct device unknown = device_unknown();
    wire_reset(out);
    wire_put_text(out, runner->options.host);
    wire_put_u32(out, (uint32_t)runner->options.node);
    wire_put_u32(out, (uint32_t)runner->options.local_rank);
    wire_put_u32(out, (uint32_t)runner->options.local_size);
    wire_put_u32(out, device != NULL);
    wire_put_device(out, device ? device : &unknown);
    wire_put_text(out, why);
    tell(runner, MESSAGE_HELLO);
    runner->greeted = true;
}

static void tell_device(struct runner *runner, const struct device *device, const char *why)
{
    struct device unknown = device_unknown();
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, device != NULL);
    wire_put_device(&runner->out, device ? device : &unknown);
    wire_put_text(&runner->out, why);
    tell(runner, MESSAGE_DEVICE);
}

static void tell_compiled(struct runner *runner)
{
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, runner->compile_bad);
    wire_put_text(&runner->out, runner->compile_log);
    tell(runner, MESSAGE_COMPILED);
}

/* What has come together; `idle` also asks for the next batch. */
static void tell_results(struct runner *runner, bool idle)
{
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, idle);
    wire_put_u32(&runner->out, runner->results_count);
    wire_put_bytes(&runner->out, runner->results.data, runner->results.length);
    tell(runner, MESSAGE_RESULTS);
    wire_reset(&runner->results);
    runner->results_count = 0;
}

static void tell_lost(struct runner *runner, const char *why)
{
    if (runner->results_count)
        tell_results(runner, false);
    wire_reset(&runner->out);
    wire_put_text(&runner->out, why);
    tell(runner, MESSAGE_LOST);
    runner->state = LOST;
}

/* ---- Telling the worker ---- */

static void tell_worker(struct runner *runner, enum wire_type type)
{
    /* When the worker is gone this fails; the end of its other pipe then tells why. */
    (void)wire_send(runner->process.to, type, &runner->out);
}

static void start_worker(struct runner *runner)
{
    char rank[16], in[8], out[8];
    struct error error;
    snprintf(rank, sizeof rank, "%d", runner->options.local_rank);
    snprintf(in, sizeof in, "%d", PROCESS_IN);
    snprintf(out, sizeof out, "%d", PROCESS_OUT);
    const char *const argv[] = {"warpsweep-worker",
                                "--backend",
                                runner->backend,
                                "--local-rank",
                                rank,
                                "--in",
                                in,
                                "--out",
                                out,
                                NULL};
    wire_stream_free(&runner->stream);
    runner->state = STARTING;
    runner->ended = false;
    runner->deadline = wait_clock() + START_SECONDS;
    if (process_start(&runner->process, runner->path, argv, &error) == 0)
        return;
    if (runner->greeted)
        tell_lost(runner, error.text);
    else
        tell_hello(runner, NULL, error.text);
    runner->state = LOST;
}

static void configure_worker(struct runner *runner)
{
    wire_reset(&runner->out);
    wire_put_config(&runner->out, &runner->config);
    tell_worker(runner, WIRE_CONFIG);
}

static void begin_task(struct runner *runner)
{
    runner->stage[0] = '\0';
    runner->task_started = wait_clock();
    runner->deadline = runner->task_started + runner->config.timing.timeout;
}

/* Send what is left of the batch. */
static void measure_rest(struct runner *runner)
{
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, (uint32_t)(runner->tasks - runner->done));
    for (int i = runner->done; i < runner->tasks; i++) {
        wire_put_u64(&runner->out, runner->task[i].id);
        wire_put_u32(&runner->out, runner->task[i].repeat);
        wire_put_point(&runner->out, &runner->task[i].point);
    }
    runner->state = MEASURING;
    runner->first = (uint32_t)runner->done;
    begin_task(runner);
    tell_worker(runner, WIRE_MEASURE);
}

/* ---- A batch goes on ---- */

static void end_batch(struct runner *runner)
{
    tell_results(runner, true);
    runner->tasks = runner->done = 0;
    if (runner->state == MEASURING)
        runner->state = IDLE;
}

static void keep_result(struct runner *runner, const struct result *result)
{
    if (!runner->results_count)
        runner->results_since = wait_clock();
    wire_put_result(&runner->results, result, runner->config.counter_count);
    runner->results_count++;
    runner->done++;
}

/* The current task came to nothing, for a reason that is not the worker's to tell. */
static void keep_failure(struct runner *runner, enum status status, const char *why)
{
    const struct task *task = &runner->task[runner->done];
    struct result result = result_new();
    result.id = task->id;
    result.repeat = (int32_t)task->repeat;
    result.real[REAL_seconds_total] = wait_clock() - runner->task_started;
    if (runner->stage[0])
        result_fail(&result, status, "%s in stage '%s'", why, runner->stage);
    else
        result_fail(&result, status, "%s before its first stage", why);
    keep_result(runner, &result);
}

/* The worker is gone, or has to go: settle what it was at, and get another one. */
static void replace_worker(struct runner *runner, enum status status, const char *why)
{
    enum state was = runner->state;
    process_kill(&runner->process);
    runner->ended = false;
    if (was == LOST)
        return;
    runner->state = STARTING;
    runner->start_at = 0;
    switch (was) {
    case MEASURING:
        runner->failures = 0;
        keep_failure(runner, status, why);
        if (runner->done == runner->tasks || runner->stopping)
            end_batch(runner);
        if (runner->stopping)
            runner->state = LOST;
        break;
    case CHARACTERISING:
        tell_device(runner, NULL, why);
        break;
    case COMPILING:
        runner->compile_bad++;
        snprintf(runner->compile_log, sizeof runner->compile_log, "%s", why);
        tell_compiled(runner);
        break;
    default:
        runner->start_at = wait_clock() + RESTART_PAUSE;
        if (++runner->failures < STARTS_MOST)
            break;
        if (runner->greeted)
            tell_lost(runner, why);
        else
            tell_hello(runner, NULL, why);
        runner->state = LOST;
        break;
    }
}

/* ---- What the worker says ---- */

static bool take_hello(struct runner *runner, struct wire_reader *payload)
{
    struct device device;
    if (runner->state != STARTING || !wire_get_device(payload, &device))
        return false;
    runner->state = IDLE;
    memcpy(runner->pci, device.pci, sizeof runner->pci);
    if (!runner->greeted)
        tell_hello(runner, &device, "");
    if (runner->configured)
        configure_worker(runner);
    if (runner->tasks)
        measure_rest(runner);
    return true;
}

static bool take_fatal(struct runner *runner, struct wire_reader *payload)
{
    char why[512];
    wire_get_text(payload, why, sizeof why);
    if (payload->bad)
        return false;
    if (runner->state == STARTING && !runner->greeted) {
        tell_hello(runner, NULL, why); /* the coordinator decides: another back end, or the end */
        process_kill(&runner->process);
        runner->state = LOST;
    } else {
        replace_worker(runner, STATUS_CRASHED, why);
    }
    return true;
}

static bool take_device(struct runner *runner, struct wire_reader *payload)
{
    struct device device;
    if (runner->state != CHARACTERISING || !wire_get_device(payload, &device))
        return false;
    runner->state = IDLE;
    runner->failures = 0;
    tell_device(runner, &device, "");
    return true;
}

static bool take_compiled(struct runner *runner, struct wire_reader *payload)
{
    char log[1024];
    wire_get_u32(payload); /* which one: the coordinator needs only how many failed, and why */
    bool ok = wire_get_u32(payload);
    wire_get_text(payload, log, sizeof log);
    wire_get_real(payload);
    if (runner->state != COMPILING || payload->bad)
        return false;
    if (!ok && !runner->compile_bad++)
        memcpy(runner->compile_log, log, sizeof log);
    if (!--runner->to_compile) {
        runner->state = IDLE;
        runner->failures = 0;
        tell_compiled(runner);
    }
    return true;
}

static bool take_stage(struct runner *runner, struct wire_reader *payload)
{
    uint32_t index = wire_get_u32(payload);
    wire_get_text(payload, runner->stage, sizeof runner->stage);
    return runner->state == MEASURING && !payload->bad && runner->first + index == (uint32_t)runner->done;
}

static bool take_result(struct runner *runner, struct wire_reader *payload)
{
    struct result result;
    if (runner->state != MEASURING || !wire_get_result(payload, &result, runner->config.counter_count))
        return false;
    const struct task *task = &runner->task[runner->done];
    bool expected = result.id == task->id && result.repeat == (int32_t)task->repeat;
    if (expected) {
        keep_result(runner, &result);
        runner->failures = 0;
        if (runner->stopping || runner->done == runner->tasks) {
            bool rest = runner->done < runner->tasks; /* which the worker has begun by now */
            end_batch(runner);
            if (rest) {
                process_kill(&runner->process);
                runner->state = LOST;
            }
        } else {
            begin_task(runner);
        }
    }
    result_free(&result);
    return expected;
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
        return take_stage(runner, payload);
    case WIRE_RESULT:
        return take_result(runner, payload);
    default:
        return false;
    }
}

/* ---- What the coordinator says ---- */

static void restart_as(struct runner *runner, struct wire_reader *payload)
{
    process_kill(&runner->process);
    wire_get_text(payload, runner->backend, sizeof runner->backend);
    runner->greeted = false;
    runner->failures = 0;
    start_worker(runner);
}

static void take_config(struct runner *runner, struct wire_reader *payload)
{
    char token[128];
    int share = (int)wire_get_u32(payload), shares = (int)wire_get_u32(payload);
    wire_get_text(payload, token, sizeof token);
    wire_get_config(payload, &runner->config);
    environment_cache_folder(runner->config.cache_folder, sizeof runner->config.cache_folder);
    binding_choose(runner->pci, share, shares, &runner->config);
    runner->configured = true;
    if (runner->state == IDLE)
        configure_worker(runner);
    struct text path = {0};
    struct stat status;
    text_add(&path, "%s/%s", runner->config.cache_folder, token);
    wire_reset(&runner->out);
    wire_put_u32(&runner->out, token[0] && stat(path.data, &status) == 0);
    text_free(&path);
    tell(runner, MESSAGE_READY);
}

static void take_characterise(struct runner *runner)
{
    if (runner->state != IDLE) { /* its worker died while it had nothing to do */
        tell_device(runner, NULL, "the worker is being replaced");
        return;
    }
    runner->state = CHARACTERISING;
    runner->deadline = wait_clock() + CHARACTERISE_LIMIT;
    wire_reset(&runner->out);
    tell_worker(runner, WIRE_CHARACTERISE);
}

static void take_compile(struct runner *runner, struct wire_reader *payload)
{
    struct wire request = {.data = (unsigned char *)payload->data, .length = payload->length};
    runner->to_compile = wire_get_u32(payload);
    runner->compile_bad = 0;
    runner->compile_log[0] = '\0';
    if (runner->state != IDLE) { /* what is not in the cache is compiled when it is measured */
        tell_compiled(runner);
        return;
    }
    runner->state = COMPILING;
    runner->deadline = wait_clock() + runner->config.timing.timeout * (1 + (double)runner->to_compile);
    wire_send(runner->process.to, WIRE_COMPILE, &request); /* the worker's request is the same */
}

static void take_measure(struct runner *runner, struct wire_reader *payload)
{
    uint32_t count = wire_get_u32(payload);
    runner->tasks = runner->done = 0;
    for (uint32_t i = 0; i < count && i < MESSAGE_BATCH_MOST; i++) {
        struct task *task = &runner->task[runner->tasks++];
        task->id = wire_get_u64(payload);
        task->repeat = wire_get_u32(payload);
        wire_get_point(payload, family_space, &task->point);
    }
    if (runner->state == IDLE)
        measure_rest(runner);
    /* else a new worker is on its way, and gets them when it is there */
}

void runner_receive(struct runner *runner, enum message message, struct wire_reader *payload)
{
    switch (message) {
    case MESSAGE_START:
        restart_as(runner, payload);
        break;
    case MESSAGE_CONFIG:
        take_config(runner, payload);
        break;
    case MESSAGE_CHARACTERISE:
        take_characterise(runner);
        break;
    case MESSAGE_COMPILE:
        take_compile(runner, payload);
        break;
    case MESSAGE_MEASURE:
        take_measure(runner, payload);
        break;
    case MESSAGE_STOP:
        runner->stopping = true;
        runner->stop_at = wait_clock() + wire_get_real(payload);
        break;
    case MESSAGE_END:
        runner->over = true;
        break;
    default:
        break; /* the coordinator sends nothing else */
    }
}

/* ---- Watching over the worker ---- */

static bool listen(struct runner *runner)
{
    enum wire_type type;
    struct wire_reader payload;
    int got = wire_stream_fill(&runner->stream, runner->process.from), more = 0;
    while (runner->process.pid > 0 && (more = wire_stream_next(&runner->stream, &type, &payload)) > 0) {
        if (!take_message(runner, type, &payload)) {
            more = -1;
            break;
        }
    }
    if (runner->process.pid <= 0) /* what came made us give the worker up */
        return true;
    if (more < 0) {
        replace_worker(runner, STATUS_CRASHED, "the worker sent rubbish");
    } else if (got < 0) {
        runner->ended = true;
        runner->deadline = wait_clock() + DEATH_SECONDS;
    }
    return got != 0;
}

/* The pipe has ended: the process is about to. */
static bool see_end(struct runner *runner)
{
    char how[128], why[160];
    if (process_ended(&runner->process, how, sizeof how)) {
        snprintf(why, sizeof why, "the worker was %s", how);
        if (!strncmp(how, "exited", 6))
            snprintf(why, sizeof why, "the worker %s", how);
    } else if (wait_clock() > runner->deadline) {
        snprintf(why, sizeof why, "the worker closed its pipe");
    } else {
        return false;
    }
    replace_worker(runner, STATUS_CRASHED, why);
    return true;
}

static bool see_deadline(struct runner *runner)
{
    char why[96];
    double now = wait_clock();
    if (runner->stopping && now > runner->stop_at && runner->tasks) {
        process_kill(&runner->process);
        runner->state = LOST;
        end_batch(runner);
        return true;
    }
    if (runner->state == IDLE || runner->state == LOST || now < runner->deadline)
        return false;
    if (runner->state == MEASURING)
        snprintf(why, sizeof why, "no result within %g s", runner->config.timing.timeout);
    else
        snprintf(why, sizeof why, "the worker gave no answer for too long");
    replace_worker(runner, STATUS_TIMED_OUT, why);
    return true;
}

bool runner_step(struct runner *runner)
{
    bool active = false;
    if (runner->process.pid <= 0) {
        if (runner->state == STARTING && wait_clock() >= runner->start_at) {
            start_worker(runner);
            active = true;
        }
    } else if (runner->ended) {
        active = see_end(runner);
    } else {
        active = listen(runner);
    }
    if (!runner->ended)
        active |= see_deadline(runner);
    if (runner->results_count && wait_clock() - runner->results_since > FLUSH_SECONDS)
        tell_results(runner, false);
    return active;
}

int runner_descriptor(const struct runner *runner)
{
    return runner->ended ? -1 : runner->process.from;
}

bool runner_is_over(const struct runner *runner)
{
    return runner->over;
}

struct runner *runner_new(const struct runner_options *options, struct mailbox *mailbox)
{
    struct runner *runner = memory_new(1, sizeof *runner);
    char folder[PATH_MAX - 32];
    runner->options = *options;
    runner->mailbox = mailbox;
    runner->process = (struct process){.to = -1, .from = -1};
    runner->config = config_standard();
    snprintf(runner->backend, sizeof runner->backend, "%s", options->backend);
    io_executable_folder(folder, sizeof folder);
    snprintf(runner->path, sizeof runner->path, "%s/warpsweep-worker", folder);
    start_worker(runner);
    return runner;
}

/* Ask an idle worker to leave, so that it can give the device back in order; it has a second for that. */
static void dismiss_worker(struct runner *runner)
{
    static const struct timespec step = {.tv_nsec = 1000000};
    char how[128];
    wire_reset(&runner->out);
    tell_worker(runner, WIRE_QUIT);
    for (int i = 0; i < 1000 && !process_ended(&runner->process, how, sizeof how); i++)
        nanosleep(&step, NULL);
}

void runner_free(struct runner *runner)
{
    if (runner->state == IDLE && runner->process.pid > 0)
        dismiss_worker(runner);
    process_kill(&runner->process);
    wire_stream_free(&runner->stream);
    wire_free(&runner->results);
    wire_free(&runner->out);
    free(runner);
}
