#include "launch/coordinator.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "launch/agenda.h"
#include "launch/canaries.h"
#include "launch/compiling.h"
#include "launch/progress.h"
#include "launch/schedule.h"
#include "launch/signals.h"
#include "launch/team.h"
#include "launch/wait.h"
#include "plan/order.h"

#define BATCH_SECONDS  0.05
#define GRACE_SECONDS  4.0 /* that running points have to end after a request to stop */
#define GRACE_TERM     0.3 /* the same after SIGTERM: mpirun kills a second later */
#define GRACE_ANSWER   2.0 /* beyond the grace, for the ranks' answers */
#define FAILURES_SHOWN 10

enum phase { OPENING, CONFIGURING, CHARACTERISING, COMPILING, MEASURING, OVER };

struct coordinator {
    const struct launch_options *options;
    struct mailbox *mailbox;
    struct team team;
    char backend[16];
    enum phase phase;
    double start;

    struct agenda agenda;
    struct environment environment;
    struct compiling *compiling;
    struct schedule *schedule;
    struct canaries canaries;
    struct progress progress;
    char token[128], token_path[1200]; /* in the cache folder, to see who shares it */

    bool active; /* something happened in this step */
    bool idle;   /* some rank may take work */
    int failures_shown;
    bool stopping;
    double stop_at; /* when to wait no longer */
    struct signals signals;
    struct error error; /* kind is not NONE: the run ends for this reason */
    struct wire out;
};

/* ---- Ends ---- */

static void tell(struct coordinator *c, int rank, enum message message)
{
    mailbox_send(c->mailbox, rank, message, &c->out);
    c->active = true;
}

static void tell_all(struct coordinator *c, enum message message)
{
    for (int rank = 0; rank < c->team.count; rank++)
        tell(c, rank, message);
}

static void end_run(struct coordinator *c)
{
    if (c->phase == OVER)
        return;
    if (c->token_path[0])
        unlink(c->token_path);
    wire_reset(&c->out);
    tell_all(c, MESSAGE_END);
    c->phase = OVER;
}

/* Stop handing out; what runs may end within `grace` seconds. */
static void stop_run(struct coordinator *c, double grace)
{
    c->stopping = true;
    c->stop_at = wait_clock() + grace + GRACE_ANSWER;
    if (c->phase != MEASURING) {
        end_run(c);
        return;
    }
    schedule_stop(c->schedule);
    wire_reset(&c->out);
    wire_put_real(&c->out, grace);
    tell_all(c, MESSAGE_STOP);
}

static void see_signals(struct coordinator *c, struct signals seen)
{
    struct signals *known = &c->signals;
    int interrupts = known->interrupts;
    known->interrupts = seen.interrupts > interrupts ? seen.interrupts : interrupts;
    known->terminates = seen.terminates > known->terminates ? seen.terminates : known->terminates;
    known->users = seen.users > known->users ? seen.users : known->users;
    if (c->phase == OVER)
        return;
    if (known->interrupts > 1 && interrupts < 2) {
        stop_run(c, 0);
        end_run(c);
    } else if (!c->stopping && (known->interrupts || known->terminates || known->users)) {
        progress_say(&c->progress, "stopping: %s",
                     known->terminates ? "asked to terminate"
                                       : "points that run may end; interrupt again to end at once");
        stop_run(c, known->terminates ? GRACE_TERM : GRACE_SECONDS);
    }
}

static void see_clock(struct coordinator *c)
{
    double now = wait_clock(), limit = c->options->time_limit;
    if (!c->stopping && limit > 0 && now - c->start >= limit) {
        progress_say(&c->progress, "stopping: the time limit is reached");
        stop_run(c, GRACE_SECONDS);
    } else if (c->stopping && now > c->stop_at) {
        end_run(c);
    }
}

/* ---- Opening: every rank says what device it has ---- */

static void receive_hello(struct coordinator *c, struct member *member, struct wire_reader *payload)
{
    wire_get_text(payload, member->host, sizeof member->host);
    member->node = (int)wire_get_u32(payload);
    member->local_rank = (int)wire_get_u32(payload);
    member->local_size = (int)wire_get_u32(payload);
    member->opened = wire_get_u32(payload);
    wire_get_device(payload, &member->device);
    wire_get_text(payload, member->why, sizeof member->why);
    member->answered = true;
    (void)c;
}

static void await_answers(struct coordinator *c)
{
    for (int rank = 0; rank < c->team.count; rank++)
        c->team.member[rank].answered = false;
}

/* Everybody tries the host back end instead. */
static void try_host(struct coordinator *c, const char *why)
{
    progress_say(&c->progress, "no GPU to measure on (%s): measuring on the host", why);
    snprintf(c->backend, sizeof c->backend, "host");
    await_answers(c);
    wire_reset(&c->out);
    wire_put_text(&c->out, c->backend);
    tell_all(c, MESSAGE_START);
}

static void describe_run(struct coordinator *c)
{
    struct environment *e = &c->environment;
    struct text hosts = {0};
    for (int rank = 0; rank < c->team.count; rank++) {
        const struct member *member = &c->team.member[rank];
        if (member->local_rank == 0)
            text_add(&hosts, "%s%s", hosts.length ? " " : "", member->host);
    }
    environment_collect(e, c->options->argc, c->options->argv);
    environment_add(e, "ranks", "%d", c->team.count);
    environment_add(e, "nodes", "%d", team_nodes(&c->team));
    environment_add(e, "hosts", "%s", hosts.data ? hosts.data : "");
    environment_add(e, "backend", "%s", c->backend);
    environment_add(e, "schedule", "%s", c->options->static_schedule ? "static" : "dynamic");
    environment_add(e, "seed", "%" PRIu64, c->agenda.config.seed);
    text_free(&hosts);
}

/* This release reads no hardware counters: say so instead of leaving columns out without a word. */
static void note_counters(struct coordinator *c)
{
    const struct job *job = &c->agenda.job;
    bool wanted = job->counter_count > 0 || (job->counter_set[0] && strcmp(job->counter_set, "none") != 0);
    if (!wanted)
        return;
    static const char note[] = "hardware counters are not read by this release; times only";
    progress_say(&c->progress, "%s", note);
    environment_add(&c->environment, "counters", "%s", note);
}

/* Leave a file in the cache folder: ranks that see it share the folder with this one. */
static void leave_token(struct coordinator *c)
{
    char folder[1024];
    struct error ignored;
    c->token[0] = c->token_path[0] = '\0';
    environment_cache_folder(folder, sizeof folder);
    if (strcmp(c->backend, "cuda") != 0 || !folder[0] || io_make_folders(folder, &ignored) != 0)
        return;
    snprintf(c->token, sizeof c->token, "token-%s-%ld", c->team.member[0].host, (long)getpid());
    snprintf(c->token_path, sizeof c->token_path, "%s/%s", folder, c->token);
    FILE *file = fopen(c->token_path, "we");
    if (file)
        fclose(file);
    else
        c->token[0] = c->token_path[0] = '\0';
}

static void start_configuring(struct coordinator *c)
{
    describe_run(c);
    note_counters(c);
    if (agenda_open(&c->agenda, c->options, &c->environment, &c->error) != 0)
        return;
    team_share(&c->team, c->backend);
    leave_token(c);
    await_answers(c);
    c->phase = CONFIGURING;
    for (int rank = 0; rank < c->team.count; rank++) {
        const struct member *member = &c->team.member[rank];
        wire_reset(&c->out);
        wire_put_u32(&c->out, (uint32_t)member->share);
        wire_put_u32(&c->out, (uint32_t)member->shares);
        wire_put_text(&c->out, c->token);
        wire_put_config(&c->out, &c->agenda.config);
        tell(c, rank, MESSAGE_CONFIG);
    }
}

static void step_opening(struct coordinator *c)
{
    struct error error = {0};
    if (!team_all_answered(&c->team))
        return;
    bool automatic = !strcmp(c->options->backend, "auto");
    switch (team_judge(&c->team, c->backend, automatic, &error)) {
    case TEAM_READY:
        start_configuring(c);
        break;
    case TEAM_TRY_HOST:
        try_host(c, error.text);
        break;
    case TEAM_CANNOT:
        c->error = error;
        break;
    }
}

/* ---- Characterising: one rank of a node at a time ---- */

static void receive_device(struct coordinator *c, int rank, struct wire_reader *payload)
{
    struct member *member = &c->team.member[rank];
    struct device device;
    char why[512];
    bool ok = wire_get_u32(payload);
    wire_get_device(payload, &device);
    wire_get_text(payload, why, sizeof why);
    if (ok)
        member->device = device;
    else
        progress_say(&c->progress, "rank %d on %s: the device's peaks are unknown: %s", rank, member->host,
                     why);
    member->busy = false;
    member->answered = true;
}

static bool node_is_busy(const struct team *team, int node)
{
    for (int rank = 0; rank < team->count; rank++)
        if (team->member[rank].node == node && team->member[rank].busy && !team->member[rank].lost)
            return true;
    return false;
}

static void start_compiling(struct coordinator *c)
{
    const struct device **devices = memory_new((size_t)c->team.count, sizeof *devices);
    for (int rank = 0; rank < c->team.count; rank++) {
        devices[rank] = &c->team.member[rank].device;
        c->team.member[rank].device_row = store_device(c->agenda.store, devices[rank]);
    }
    int failed = agenda_select(&c->agenda, c->options, devices, c->team.count, &c->error);
    free(devices);
    if (failed)
        return;
    progress_say(&c->progress,
                 "%zu points to measure (%zu done before, %zu unsupported) on %d rank%s, back end %s: %s",
                 c->agenda.todo_count, c->agenda.before, c->agenda.unsupported, c->team.count,
                 c->team.count == 1 ? "" : "s", c->backend, c->team.member[0].device.name);
    c->phase = COMPILING;
    if (!c->token[0])
        return; /* nowhere to put compiled kernels, or nothing to compile: each point sees to itself */
    c->compiling = compiling_new(&c->agenda, &c->team);
    if (compiling_kernels(c->compiling))
        progress_say(&c->progress, "compiling %zu kernels", compiling_kernels(c->compiling));
}

static void step_characterising(struct coordinator *c)
{
    /* The fake back end loads nothing, and resuming a finished run measures nothing. */
    bool together = !strcmp(c->backend, "fake");
    for (int rank = 0; rank < c->team.count; rank++) {
        struct member *member = &c->team.member[rank];
        if (member->answered || member->busy || member->lost ||
            (!together && node_is_busy(&c->team, member->node)))
            continue;
        member->busy = true;
        wire_reset(&c->out);
        tell(c, rank, MESSAGE_CHARACTERISE);
    }
    if (team_all_answered(&c->team))
        start_compiling(c);
}

/* ---- Compiling ---- */

static void receive_compiled(struct coordinator *c, int rank, struct wire_reader *payload)
{
    char log[1024];
    uint32_t bad = wire_get_u32(payload);
    wire_get_text(payload, log, sizeof log);
    c->team.member[rank].busy = false;
    if (bad && c->failures_shown++ < FAILURES_SHOWN)
        progress_say(&c->progress, "%u kernels did not compile; their points will fail. The first: %s", bad,
                     log);
}

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

static void start_measuring(struct coordinator *c)
{
    int *node = memory_new((size_t)c->team.count, sizeof *node);
    for (int rank = 0; rank < c->team.count; rank++)
        node[rank] = c->team.member[rank].node;
    c->schedule = schedule_new(&(struct schedule_options){.ranks = c->team.count,
                                                          .node = node,
                                                          .fixed = c->options->static_schedule,
                                                          .batch_seconds = BATCH_SECONDS,
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

static void step_compiling(struct coordinator *c)
{
    bool busy = false;
    for (int rank = 0; rank < c->team.count && c->compiling; rank++) {
        struct member *member = &c->team.member[rank];
        uint32_t index[MESSAGE_BATCH_MOST];
        if (member->lost)
            continue;
        int count = member->busy ? 0 : compiling_take(c->compiling, rank, index);
        if (count) {
            wire_reset(&c->out);
            wire_put_u32(&c->out, (uint32_t)count);
            for (int i = 0; i < count; i++) {
                struct point point = grid_point(c->agenda.grid, index[i]);
                wire_put_point(&c->out, &point);
            }
            member->busy = true;
            tell(c, rank, MESSAGE_COMPILE);
        }
        busy |= member->busy;
    }
    if (!busy)
        start_measuring(c);
}

/* ---- Measuring ---- */

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

static void receive_results(struct coordinator *c, int rank, struct wire_reader *payload)
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
    tell(c, rank, MESSAGE_MEASURE);
}

static void step_measuring(struct coordinator *c)
{
    bool finished = schedule_is_done(c->schedule);
    if (!c->stopping && c->agenda.todo_count &&
        canaries_tick(&c->canaries, c->schedule, &c->team, c->agenda.todo_count, finished)) {
        c->idle = true;
        finished = false;
    }
    if (finished) {
        end_run(c);
        return;
    }
    for (int rank = 0; rank < c->team.count && c->idle; rank++)
        if (!c->team.member[rank].busy && !c->team.member[rank].lost)
            hand_out(c, rank);
    c->idle = false;
    progress_tick(&c->progress);
}

/* ---- All phases ---- */

static void receive_lost(struct coordinator *c, int rank, struct wire_reader *payload)
{
    struct member *member = &c->team.member[rank];
    char why[512];
    wire_get_text(payload, why, sizeof why);
    progress_say(&c->progress, "rank %d on %s has no worker any more (%s); others take over its points", rank,
                 member->host, why);
    member->lost = true;
    member->busy = false;
    if (c->schedule)
        schedule_lose(c->schedule, rank, member->batch + member->batch_done,
                      member->batch_count - member->batch_done);
    c->idle = true;
    if (!team_present(&c->team))
        error_set(&c->error, ERROR_ENVIRONMENT, "no rank has a worker left; the last one: %s", why);
}

void coordinator_receive(struct coordinator *c, int rank, enum message message, struct wire_reader *payload)
{
    struct signals signals;
    c->active = true;
    switch (message) {
    case MESSAGE_HELLO:
        receive_hello(c, &c->team.member[rank], payload);
        break;
    case MESSAGE_READY:
        c->team.member[rank].sees_cache = wire_get_u32(payload);
        c->team.member[rank].answered = true;
        break;
    case MESSAGE_DEVICE:
        receive_device(c, rank, payload);
        break;
    case MESSAGE_COMPILED:
        receive_compiled(c, rank, payload);
        break;
    case MESSAGE_RESULTS:
        receive_results(c, rank, payload);
        break;
    case MESSAGE_LOST:
        receive_lost(c, rank, payload);
        break;
    case MESSAGE_SIGNAL:
        signals.interrupts = (int)wire_get_u32(payload);
        signals.terminates = (int)wire_get_u32(payload);
        signals.users = (int)wire_get_u32(payload);
        see_signals(c, signals);
        break;
    default:
        break; /* runners send nothing else */
    }
}

bool coordinator_step(struct coordinator *c)
{
    see_signals(c, signals_seen());
    see_clock(c);
    switch (c->phase) {
    case OPENING:
        step_opening(c);
        break;
    case CONFIGURING:
        if (team_all_answered(&c->team)) {
            await_answers(c);
            c->phase = CHARACTERISING;
        }
        break;
    case CHARACTERISING:
        step_characterising(c);
        break;
    case COMPILING:
        step_compiling(c);
        break;
    case MEASURING:
        step_measuring(c);
        break;
    case OVER:
        break;
    }
    if (c->error.kind == ERROR_NONE && c->agenda.store && c->phase != OVER)
        store_tick(c->agenda.store, &c->error);
    if (c->error.kind != ERROR_NONE)
        end_run(c);
    bool active = c->active;
    c->active = false;
    return active;
}

const char *coordinator_first_backend(const struct launch_options *options)
{
    return !strcmp(options->backend, "auto") ? "cuda" : options->backend;
}

struct coordinator *coordinator_new(const struct launch_options *options, struct mailbox *mailbox, int ranks)
{
    struct coordinator *c = memory_new(1, sizeof *c);
    c->options = options;
    c->mailbox = mailbox;
    c->start = wait_clock();
    c->team.count = ranks;
    c->team.member = memory_new((size_t)ranks, sizeof *c->team.member);
    snprintf(c->backend, sizeof c->backend, "%s", coordinator_first_backend(options));
    agenda_read(&c->agenda, options, &c->error);
    return c;
}

/* ---- The end ---- */

static void say_how_to_resume(struct coordinator *c)
{
    size_t done = c->agenda.before + c->agenda.unsupported + c->progress.done;
    char *command = environment_command(c->options->argc, c->options->argv);
    progress_say(&c->progress, "stopped after %zu of %zu points; resume with: %s%s", done,
                 grid_count(c->agenda.grid), command, c->options->resume ? "" : " --resume");
    free(command);
}

static void say_summary(struct coordinator *c, const uint64_t counts[STATUS_COUNT])
{
    char took[32];
    text_format_seconds(wait_clock() - c->start, took, sizeof took);
    progress_say(&c->progress,
                 "%" PRIu64 " ok, %" PRIu64 " unsupported, %" PRIu64 " failed, %" PRIu64 " crashed, %" PRIu64
                 " timed out, in %s: %s",
                 counts[STATUS_OK], counts[STATUS_UNSUPPORTED], counts[STATUS_FAILED], counts[STATUS_CRASHED],
                 counts[STATUS_TIMED_OUT], took, c->options->output_path);
    if (!strcmp(c->backend, "fake"))
        progress_say(&c->progress, "the fake back end measures nothing: its times are made up");
    if (counts[STATUS_OK])
        progress_say(&c->progress, "draw it with: warpsweep plot %s -o figures", c->options->output_path);
}

int coordinator_end(struct coordinator *c)
{
    uint64_t counts[STATUS_COUNT] = {0};
    struct error closing = {0};
    bool opened = c->agenda.store != NULL;
    bool unfinished = c->stopping && (!c->schedule || c->progress.done < c->agenda.todo_count);
    int code = 0;
    progress_end(&c->progress);
    if (opened)
        store_counts(c->agenda.store, counts);
    if (unfinished && c->agenda.grid)
        say_how_to_resume(c);
    if (agenda_close(&c->agenda, &closing) != 0 && c->error.kind == ERROR_NONE)
        c->error = closing;
    if (c->error.kind != ERROR_NONE)
        progress_say(&c->progress, "%s", c->error.text);
    if (opened)
        say_summary(c, counts);
    if (c->error.kind != ERROR_NONE)
        code = (int)c->error.kind;
    else if (unfinished || counts[STATUS_FAILED] || counts[STATUS_CRASHED] || counts[STATUS_TIMED_OUT])
        code = 1;
    environment_free(&c->environment);
    compiling_free(c->compiling);
    schedule_free(c->schedule);
    free(c->team.member);
    wire_free(&c->out);
    free(c);
    return code;
}
