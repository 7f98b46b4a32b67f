#include "launch/coordinator/coordinator_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "launch/wait.h"

#define GRACE_SECONDS 4.0 /* that running points have to end after a request to stop */
#define GRACE_TERM    0.3 /* the same after SIGTERM: mpirun kills a second later */
#define GRACE_ANSWER  2.0 /* beyond the grace, for the ranks' answers */

/* ---- Ends ---- */

void coordinator_tell(struct coordinator *c, int rank, enum message message)
{
    mailbox_send(c->mailbox, rank, message, &c->out);
    c->active = true;
}

void coordinator_tell_all(struct coordinator *c, enum message message)
{
    for (int rank = 0; rank < c->team.count; rank++)
        coordinator_tell(c, rank, message);
}

void coordinator_end_run(struct coordinator *c)
{
    if (c->phase == OVER)
        return;
    if (c->token_path[0])
        unlink(c->token_path);
    wire_reset(&c->out);
    coordinator_tell_all(c, MESSAGE_END);
    c->phase = OVER;
}

/* Stop handing out; what runs may end within `grace` seconds. */
static void stop_run(struct coordinator *c, double grace)
{
    c->stopping = true;
    c->stop_at = clock_now() + grace + GRACE_ANSWER;
    if (c->phase != MEASURING) {
        coordinator_end_run(c);
        return;
    }
    schedule_stop(c->schedule);
    wire_reset(&c->out);
    wire_put_real(&c->out, grace);
    coordinator_tell_all(c, MESSAGE_STOP);
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
        coordinator_end_run(c);
    } else if (!c->stopping && (known->interrupts || known->terminates || known->users)) {
        progress_say(&c->progress, "stopping: %s",
                     known->terminates ? "asked to terminate"
                                       : "points that run may end; interrupt again to end at once");
        stop_run(c, known->terminates ? GRACE_TERM : GRACE_SECONDS);
    }
}

static void see_clock(struct coordinator *c)
{
    double now = clock_now(), limit = c->options->time_limit;
    if (!c->stopping && limit > 0 && now - c->start >= limit) {
        progress_say(&c->progress, "stopping: the time limit is reached");
        stop_run(c, GRACE_SECONDS);
    } else if (c->stopping && now > c->stop_at) {
        coordinator_end_run(c);
    }
}

void coordinator_await_answers(struct coordinator *c)
{
    for (int rank = 0; rank < c->team.count; rank++)
        c->team.member[rank].answered = false;
}

/* ---- All phases ---- */

static void receive_note(struct coordinator *c, int rank, struct wire_reader *payload)
{
    char note[sizeof c->note];
    wire_get_text(payload, note, sizeof note);
    if (c->note[0])
        return;
    memcpy(c->note, note, sizeof c->note);
    if (c->agenda.store)
        store_note(c->agenda.store, "counters_note", note);
    progress_say(&c->progress, "%s (first seen by rank %d)", note, rank);
}

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
        opening_take_hello(c, rank, payload);
        break;
    case MESSAGE_READY:
        opening_take_ready(c, rank, payload);
        break;
    case MESSAGE_DEVICE:
        preparing_take_device(c, rank, payload);
        break;
    case MESSAGE_COMPILED:
        preparing_take_compiled(c, rank, payload);
        break;
    case MESSAGE_RESULTS:
        measuring_take_results(c, rank, payload);
        break;
    case MESSAGE_NOTE:
        receive_note(c, rank, payload);
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
        opening_step(c);
        break;
    case CONFIGURING:
        if (team_all_answered(&c->team)) {
            coordinator_await_answers(c);
            c->phase = CHARACTERISING;
        }
        break;
    case CHARACTERISING:
        preparing_characterise(c);
        break;
    case COMPILING:
        preparing_compile(c);
        break;
    case MEASURING:
        measuring_step(c);
        break;
    case OVER:
        break;
    }
    if (c->error.kind == ERROR_NONE && c->agenda.store && c->phase != OVER)
        store_tick(c->agenda.store, &c->error);
    if (c->error.kind != ERROR_NONE)
        coordinator_end_run(c);
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
    c->start = clock_now();
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
    text_format_seconds(clock_now() - c->start, took, sizeof took);
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
    if (c->note[0])
        progress_say(&c->progress, "%s", c->note);
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
