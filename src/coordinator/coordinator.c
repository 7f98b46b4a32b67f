#include "coordinator/coordinator.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/memory.h"
#include "coordinator/measuring.h"
#include "coordinator/opening.h"
#include "coordinator/preparing.h"
#include "coordinator/results.h"
#include "coordinator/state/context.h"
#include "coordinator/state/run_timeline.h"
#include "coordinator/summary.h"
#include "mailbox/heartbeat.h"

#define GRACE_SECONDS 4.0 /* that running points have to end after a request to stop */
#define GRACE_TERM    0.3 /* the same after SIGTERM: mpirun kills a second later */
#define GRACE_ANSWER  2.0 /* beyond the grace, for the ranks' answers */
#define ANSWER_TERM   0.3 /* the same after SIGTERM, so that the file is closed before SIGKILL */

enum stage { STAGE_OPENING, STAGE_CHARACTERISING, STAGE_COMPILING, STAGE_MEASURING, STAGE_OVER };
static const char *const stage_words[] = {"opening", "characterising", "compiling", "measuring", "over"};

struct coordinator {
    struct desk desk;
    struct opening opening;
    struct preparing preparing;
    struct measuring measuring;
    struct chronicle *chronicle;
    enum stage stage;
    double start, read, measured_from; /* s of clock_now: of the run, when the job was read, of measuring */
    char note[512];                    /* why counters are missing, as the first worker that said so has it */
    bool stopping;
    double stop_at; /* when to wait no longer */
    struct signals signals;
    struct pulse pulse;
    double silence, listened; /* s; when it last looked who is silent, on the pulse */
};

/* ---- Phases ---- */

static void enter(struct coordinator *c, enum stage stage)
{
    c->stage = stage;
    if (stage != STAGE_OVER)
        progress_phase(&c->desk.progress, stage_words[stage]);
    trace_say(&c->desk.trace, "coordinator: phase %s", stage_words[stage]);
}

/* Everything is done, or nothing more can be: every rank leaves. */
static void end_run(struct coordinator *c)
{
    if (c->stage == STAGE_OVER)
        return;
    desk_write(&c->desk);
    desk_tell_all(&c->desk, MESSAGE_END);
    enter(c, STAGE_OVER);
}

static void step_opening(struct coordinator *c)
{
    double start = clock_now();
    enum opening_state state = opening_step(&c->opening, &c->desk);
    chronicle_tell(c->chronicle, PHASE_open, start);
    switch (state) {
    case OPENING_WAITS:
        break;
    case OPENING_DONE:
        enter(c, STAGE_CHARACTERISING);
        preparing_characterise(&c->desk);
        break;
    case OPENING_NOTHING_TO_DO:
        end_run(c);
        break;
    }
}

static void step_phase(struct coordinator *c)
{
    switch (c->stage) {
    case STAGE_OPENING:
        step_opening(c);
        break;
    case STAGE_CHARACTERISING:
        if (!team_all_answered(&c->desk.team))
            break;
        enter(c, STAGE_COMPILING);
        preparing_compile(&c->preparing, &c->desk, c->opening.token[0] != '\0');
        chronicle_open(c->chronicle, &c->desk.team, c->desk.agenda.store);
        break;
    case STAGE_COMPILING:
        if (!preparing_is_compiled(&c->preparing))
            break;
        enter(c, STAGE_MEASURING);
        c->measured_from = clock_now();
        measuring_start(&c->measuring, &c->desk);
        break;
    case STAGE_MEASURING:
        if (measuring_step(&c->measuring, &c->desk))
            end_run(c);
        break;
    case STAGE_OVER:
        break;
    }
}

/* ---- Requests to stop ---- */

/* Stop handing out; what runs may end within `grace` seconds. */
static void stop_run(struct coordinator *c, double grace)
{
    c->stopping = true;
    c->stop_at = clock_now() + grace + (c->signals.terminates ? ANSWER_TERM : GRACE_ANSWER);
    if (c->stage == STAGE_MEASURING)
        measuring_stop(&c->measuring, &c->desk, grace);
    else
        end_run(c);
}

void coordinator_signal(struct coordinator *c, struct signals seen)
{
    struct signals *known = &c->signals;
    int interrupts = known->interrupts;
    known->interrupts = seen.interrupts > interrupts ? seen.interrupts : interrupts;
    known->terminates = seen.terminates > known->terminates ? seen.terminates : known->terminates;
    known->users = seen.users > known->users ? seen.users : known->users;
    if (c->stage == STAGE_OVER)
        return;
    if (known->interrupts > 1 && interrupts < 2) {
        stop_run(c, 0);
        end_run(c);
    } else if (!c->stopping && (known->interrupts || known->terminates || known->users)) {
        progress_say(&c->desk.progress, "stopping: %s",
                     known->terminates ? "asked to terminate"
                                       : "points that run may end; interrupt again to end at once");
        stop_run(c, known->terminates ? GRACE_TERM : GRACE_SECONDS);
    }
}

static void see_clock(struct coordinator *c)
{
    double now = clock_now(), limit = c->desk.options->time_limit;
    if (!c->stopping && limit > 0 && now - c->start >= limit) {
        progress_say(&c->desk.progress, "stopping: the time limit is reached");
        stop_run(c, GRACE_SECONDS);
    } else if (c->stopping && now > c->stop_at) {
        end_run(c);
    }
}

/* ---- All phases ---- */

static void receive_note(struct coordinator *c, int rank, struct wire_reader *payload)
{
    char note[sizeof c->note];
    wire_get_text(payload, note, sizeof note);
    if (c->note[0])
        return;
    memcpy(c->note, note, sizeof c->note);
    if (c->desk.agenda.open)
        store_note(c->desk.agenda.store, "counters_note", note);
    progress_say(&c->desk.progress, "%s (first seen by rank %d)", note, rank);
}

static void lose(struct coordinator *c, int rank)
{
    team_lose(&c->desk.team, rank);
    if (c->stage == STAGE_MEASURING)
        results_lose(&c->measuring, &c->desk, rank);
    else if (c->stage == STAGE_CHARACTERISING || c->stage == STAGE_COMPILING)
        preparing_lose(&c->preparing, &c->desk, rank);
}

static void receive_lost(struct coordinator *c, int rank, struct wire_reader *payload)
{
    struct team *team = &c->desk.team;
    char why[512];
    wire_get_text(payload, why, sizeof why);
    if (team->member[rank].lost)
        return;
    progress_say(&c->desk.progress, "rank %d on %s has no worker any more (%s); others take over its points",
                 rank, team->member[rank].host, why);
    lose(c, rank);
    if (!team->present && !c->desk.quarantined && !c->desk.silent)
        error_set(&c->desk.error, ERROR_ENVIRONMENT, "no rank has a worker left; the last one: %s", why);
}

/* ---- Silent ranks ---- */

static void give_up_silent(struct coordinator *c, int rank)
{
    struct member *member = &c->desk.team.member[rank];
    member->silent = true;
    c->desk.silent++;
    if (c->stage == STAGE_OPENING) {
        error_set(&c->desk.error, ERROR_ENVIRONMENT,
                  "rank %d gives no sign of life since %g s, before it has opened its device", rank,
                  c->silence);
        return;
    }
    progress_say(&c->desk.progress,
                 "rank %d on %s gives no sign of life since %g s: given up; others take over its points",
                 rank, member->host, c->silence);
    lose(c, rank);
}

static void see_silence(struct coordinator *c)
{
    struct team *team = &c->desk.team;
    double now = pulse_now(&c->pulse);
    if (c->stage == STAGE_OVER || now - c->listened < c->silence / PULSE_BEATS)
        return;
    c->listened = now;
    for (int rank = 1; rank < team->count; rank++)
        if (!team->member[rank].silent && now - team->member[rank].heard > c->silence)
            give_up_silent(c, rank);
}

/* Nobody is left to measure on, and not for want of workers: what waits is for a later run. */
static void see_who_is_left(struct coordinator *c)
{
    if (c->desk.team.present || c->stopping || c->stage == STAGE_OVER || c->desk.error.kind != ERROR_NONE)
        return;
    progress_say(&c->desk.progress, "stopping: no device is left to measure on (%d quarantined, %d silent)",
                 c->desk.quarantined, c->desk.silent);
    stop_run(c, 0);
    end_run(c);
}

static void receive_signal(struct coordinator *c, struct wire_reader *payload)
{
    struct signals seen;
    seen.interrupts = (int)wire_get_u32(payload);
    seen.terminates = (int)wire_get_u32(payload);
    seen.users = (int)wire_get_u32(payload);
    coordinator_signal(c, seen);
}

void coordinator_receive(struct coordinator *c, int rank, enum message message, struct wire_reader *payload)
{
    struct desk *desk = &c->desk;
    desk->active |= message != MESSAGE_BEAT;
    desk->team.member[rank].heard = pulse_now(&c->pulse);
    switch (message) {
    case MESSAGE_HELLO:
        if (c->stage == STAGE_OPENING)
            opening_take_hello(&c->opening, desk, rank, payload);
        break;
    case MESSAGE_READY:
        if (c->stage == STAGE_OPENING)
            opening_take_ready(desk, rank, payload);
        break;
    case MESSAGE_DEVICE:
        if (c->stage == STAGE_CHARACTERISING)
            preparing_take_device(desk, rank, payload);
        break;
    case MESSAGE_COMPILED:
        if (c->stage == STAGE_COMPILING)
            preparing_take_compiled(&c->preparing, desk, rank, payload);
        break;
    case MESSAGE_RESULTS:
        if (c->measuring.schedule) /* what comes after the end is kept all the same */
            results_take(&c->measuring, desk, rank, payload);
        break;
    case MESSAGE_COUNTED:
        if (c->measuring.schedule)
            results_take_counted(&c->measuring, desk, rank, payload);
        break;
    case MESSAGE_BEAT:
        mailbox_send(desk->mailbox, rank, MESSAGE_ECHO, NULL);
        break;
    case MESSAGE_SPANS:
        chronicle_take(c->chronicle, &desk->team, rank, payload);
        break;
    case MESSAGE_NOTE:
        receive_note(c, rank, payload);
        break;
    case MESSAGE_LOST:
        receive_lost(c, rank, payload);
        break;
    case MESSAGE_SIGNAL:
        receive_signal(c, payload);
        break;
    default:
        break; /* runners send nothing else */
    }
}

/* Let the store write. With --verbose a checkpoint shows as another file under the same name. */
static void tick_store(struct coordinator *c)
{
    struct stat before = {0}, after = {0};
    const char *path = c->desk.options->output_path;
    bool traced = c->desk.trace.on && stat(path, &before) == 0;
    double start = clock_now();
    unsigned steps = store_checkpoint_steps(c->desk.agenda.store);
    store_tick(c->desk.agenda.store, &c->desk.error);
    bool checkpoint = steps != store_checkpoint_steps(c->desk.agenda.store);
    chronicle_tell(c->chronicle, checkpoint ? PHASE_checkpoint : PHASE_sync, start);
    if (traced && stat(path, &after) == 0 && after.st_ino != before.st_ino)
        trace_say(&c->desk.trace, "coordinator: checkpoint: %lld bytes in %.3f s", (long long)after.st_size,
                  clock_now() - start);
}

bool coordinator_step(struct coordinator *c)
{
    see_silence(c);
    see_clock(c);
    see_who_is_left(c);
    step_phase(c);
    if (c->desk.error.kind == ERROR_NONE && c->desk.agenda.open && c->stage != STAGE_OVER)
        tick_store(c);
    if (c->desk.error.kind != ERROR_NONE)
        end_run(c);
    bool active = c->desk.active;
    c->desk.active = false;
    return active;
}

const char *coordinator_first_backend(const struct launch_options *options)
{
    return opening_first_backend(options);
}

struct coordinator *coordinator_new(const struct launch_options *options, const struct trace *trace)
{
    struct coordinator *c = memory_new(1, sizeof *c);
    c->start = clock_now();
    c->silence = options->silence > 0 ? options->silence : PULSE_SILENCE;
    c->desk.options = options;
    c->desk.trace = *trace;
    agenda_read(&c->desk.agenda, options, &c->desk.error);
    c->read = clock_now();
    return c;
}

bool coordinator_is_fine(const struct coordinator *c)
{
    return c->desk.error.kind == ERROR_NONE;
}

void coordinator_begin(struct coordinator *c, struct mailbox *mailbox, int ranks)
{
    c->desk.mailbox = mailbox;
    c->desk.team = team_new(ranks);
    c->chronicle = chronicle_new(ranks);
    chronicle_tell_of(c->chronicle, PHASE_open, c->start, c->read);
    progress_open(&c->desk.progress, c->desk.trace.on);
    opening_start(&c->opening, &c->desk);
    enter(c, STAGE_OPENING);
    if (!coordinator_is_fine(c))
        end_run(c);
}

void coordinator_drop(struct coordinator *c)
{
    struct error unused;
    agenda_close(&c->desk.agenda, &unused);
    free(c);
}

bool coordinator_has_heard_all(const struct coordinator *c)
{
    return chronicle_ended(c->chronicle) + coordinator_silent(c) >= c->desk.team.count;
}

int coordinator_silent(const struct coordinator *c)
{
    int silent = c->desk.silent;
    for (int rank = 1; rank < c->desk.team.count && c->stopping; rank++)
        silent += c->desk.team.member[rank].busy && !c->desk.team.member[rank].silent;
    return silent;
}

/* ---- The end ---- */

/* How long points took, for runs to come. Without a place to keep it there is no history, and no harm done. */
static void remember(struct coordinator *c)
{
    struct agenda *agenda = &c->desk.agenda;
    struct error unusable = {0};
    if (!c->desk.forecast)
        return;
    if (!c->stopping && c->desk.error.kind == ERROR_NONE)
        forecast_remember(c->desk.forecast, c->measured_from - c->start, clock_now());
    if (agenda->history_path && !history_is_empty(agenda->history) &&
        history_write(agenda->history, agenda->history_path, c->desk.backend,
                      c->desk.team.member[0].device.name, &unusable) != 0)
        trace_say(&c->desk.trace, "coordinator: no history: %s", unusable.text);
    forecast_free(c->desk.forecast);
    c->desk.forecast = NULL;
}

int coordinator_end(struct coordinator *c)
{
    struct desk *desk = &c->desk;
    uint64_t counts[STATUS_COUNT] = {0};
    struct error closing = {0};
    bool opened = desk->agenda.open;
    bool unfinished = c->stopping && (!c->measuring.schedule || desk->progress.done < desk->progress.total);
    progress_end(&desk->progress);
    chronicle_end(c->chronicle, &desk->team);
    remember(c);
    if (opened)
        store_counts(desk->agenda.store, counts);
    double start = clock_now();
    size_t planned = desk->agenda.grid ? grid_count(desk->agenda.grid) : 0;
    if (agenda_close(&desk->agenda, &closing) != 0) {
        if (desk->error.kind == ERROR_NONE)
            desk->error = closing;
        summary_count_on_disk(desk->options->output_path, counts);
    }
    if (unfinished && planned)
        summary_resume(desk, planned, counts);
    if (opened)
        trace_say(&desk->trace, "coordinator: final file written in %.3f s", clock_now() - start);
    if (desk->error.kind != ERROR_NONE)
        progress_say(&desk->progress, "%s", desk->error.text);
    if (opened)
        summary_say(desk, &c->measuring, c->start, counts);
    if (c->note[0])
        progress_say(&desk->progress, "%s", c->note);
    int code = summary_exit_code(desk, &c->measuring, unfinished, counts);
    opening_end(&c->opening);
    preparing_end(&c->preparing);
    measuring_end(&c->measuring);
    chronicle_free(c->chronicle);
    team_free(&desk->team);
    wire_free(&desk->out);
    free(c);
    return code;
}
