#include "coordinator/coordinator.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "coordinator/canaries.h"
#include "coordinator/measuring.h"
#include "coordinator/opening.h"
#include "coordinator/preparing.h"
#include "coordinator/results.h"
#include "coordinator/run_kernels.h"
#include "coordinator/run_state.h"
#include "coordinator/run_summary.h"
#include "coordinator/run_timeline.h"
#include "mailbox/heartbeat.h"

#define GRACE_SECONDS 4.0 /* s for running points after a request to stop */
#define GRACE_TERM    0.3 /* the same after SIGTERM: mpirun sends SIGKILL a second later */
#define GRACE_ANSWER  2.0 /* s beyond the grace, for the answers of ranks */
#define ANSWER_TERM   0.3 /* the same after SIGTERM, so that the file is closed before SIGKILL */

enum stage { STAGE_OPENING, STAGE_CHARACTERISING, STAGE_MEASURING, STAGE_OVER };
static const char *const stage_words[] = {"opening", "characterising", "measuring", "over"};

struct coordinator {
    struct run run;
    enum stage stage;
    double start, read; /* s of clock_now: start of the run, end of reading the job */
    double measuring;   /* when every device was characterised; 0: never */
    bool died;          /* a worker that counted several points */
    char note[512];     /* why counters are missing, from the first worker that reports it */
    double stop_at;     /* s of clock_now: end of the grace */
    struct signals signals;
    struct heartbeat heartbeat;
    double silence, listened; /* s: the timeout; last check for silent ranks */
    bool disk_waits;          /* a note has said so */
};

/* ---- Phases ---- */

static void enter(struct coordinator *c, enum stage stage)
{
    assert(stage > c->stage || stage == STAGE_OPENING); /* stages only advance */
    c->stage = stage;
    trace_say(&c->run.trace, "coordinator: phase %s", stage_words[stage]);
}

/* Everything is done, or the run cannot continue: send END to every rank. */
static void end_run(struct coordinator *c)
{
    if (c->stage == STAGE_OVER)
        return;
    run_begin_message(&c->run);
    run_send_all(&c->run, WIRE_END);
    enter(c, STAGE_OVER);
}

static void step_opening(struct coordinator *c)
{
    double start = clock_now();
    enum opening_state state = opening_step(&c->run);
    run_timeline_add(&c->run, PHASE_open, start, clock_now());
    if (state == OPENING_NOTHING_TO_DO)
        end_run(c);
    if (state != OPENING_DONE)
        return;
    enter(c, STAGE_CHARACTERISING);
    canaries_choose(&c->run);    /* whose kernels come early */
    if (!c->run.plan.loads_link) /* whose peak is measured with idle processors */
        kernels_start(&c->run);
    preparing_characterise(&c->run);
}

static void start_measuring(struct coordinator *c)
{
    struct team *team = &c->run.team;
    for (int rank = 0; rank < team->count; rank++)
        team->member[rank].device_row = store_device(c->run.plan.store, &team->member[rank].device);
    if (!c->run.kernels)
        kernels_start(&c->run);
    enter(c, STAGE_MEASURING);
    c->measuring = clock_now();
    measuring_start(&c->run);
}

static void step_phase(struct coordinator *c)
{
    switch (c->stage) {
    case STAGE_OPENING:
        step_opening(c);
        break;
    case STAGE_CHARACTERISING:
        if (!c->run.team.unanswered)
            start_measuring(c);
        break;
    case STAGE_MEASURING:
        if (measuring_step(&c->run))
            end_run(c);
        break;
    case STAGE_OVER:
        break;
    }
}

/* ---- Requests to stop ---- */

/* Hand out nothing more. Running points may finish within `grace` seconds. */
static void stop_run(struct coordinator *c, double grace)
{
    c->run.stopping = true;
    c->stop_at = clock_now() + grace + (c->signals.terminates ? ANSWER_TERM : GRACE_ANSWER);
    if (c->stage == STAGE_MEASURING)
        measuring_stop(&c->run, grace);
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
    } else if (!c->run.stopping && (known->interrupts || known->terminates || known->users)) {
        progress_say(&c->run.progress, "stopping: %s",
                     known->terminates ? "received SIGTERM or SIGHUP"
                                       : "finishing running points; Ctrl-C again stops now");
        stop_run(c, known->terminates ? GRACE_TERM : GRACE_SECONDS);
    }
}

static void check_time(struct coordinator *c)
{
    double now = clock_now(), limit = c->run.options->time_limit;
    if (!c->run.stopping && limit > 0 && now - c->start >= limit) {
        progress_say(&c->run.progress, "stopping: time limit reached");
        stop_run(c, GRACE_SECONDS);
    } else if (c->run.stopping && now > c->stop_at) {
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
    run_note(&c->run, "counters_note", note);
    progress_say(&c->run.progress, "%s (first seen by rank %d)", note, rank);
}

/* The first of a run is told: a bad point kills a worker of each smaller batch that it is in. */
static void receive_died(struct coordinator *c, int rank, struct wire_reader *payload)
{
    char why[256];
    wire_get_text(payload, why, sizeof why);
    if (c->died || c->run.stopping)
        return;
    c->died = true;
    run_note(&c->run, "counting_died", why);
    progress_say(&c->run.progress, "rank %d counts points again, in smaller batches: %s", rank, why);
}

/* Lose a rank for good, for the reason in `why`. */
static void lose(struct coordinator *c, int rank, enum verdict_reason incident, const char *why)
{
    char text[600];
    run_note_rank(&c->run, rank, verdict_reason_words[incident], why, text);
    team_lose(&c->run.team, rank);
    kernels_lose(&c->run, rank);
    if (c->stage == STAGE_MEASURING)
        results_lose(&c->run, rank);
    else if (c->stage == STAGE_CHARACTERISING)
        preparing_lose(&c->run, rank);
}

/* The worker has no device, or has died at its peaks. */
static void receive_fatal(struct coordinator *c, int rank, struct wire_reader *payload)
{
    char why[512];
    wire_get_text(payload, why, sizeof why);
    if (c->stage == STAGE_OPENING)
        opening_take_failure(&c->run, rank, HELLO_NO_DEVICE, why);
    else if (c->stage == STAGE_CHARACTERISING)
        preparing_take_failure(&c->run, rank, why);
}

static void receive_lost(struct coordinator *c, int rank, struct wire_reader *payload)
{
    struct team *team = &c->run.team;
    char why[512];
    wire_get_text(payload, why, sizeof why);
    if (team->member[rank].lost)
        return;
    if (c->stage == STAGE_OPENING && !team->member[rank].answered) {
        opening_take_failure(&c->run, rank, HELLO_NO_WORKER, why);
        return;
    }
    progress_say(&c->run.progress, "rank %d on %s lost its worker (%s); its points are reassigned", rank,
                 team->member[rank].home.host, why);
    lose(c, rank, REASON_lost, why);
    if (!team->present && !c->run.quarantined && !c->run.silent)
        error_set(&c->run.error, ERROR_ENVIRONMENT, "no rank has a worker left; the last rank: %s", why);
}

/* ---- Silent ranks ---- */

static void lose_silent(struct coordinator *c, int rank)
{
    struct member *member = &c->run.team.member[rank];
    char why[64];
    member->silent = true;
    c->run.silent++;
    if (c->stage == STAGE_OPENING) {
        error_set(&c->run.error, ERROR_ENVIRONMENT, "rank %d: no heartbeat for %g s while opening its device",
                  rank, c->silence);
        return;
    }
    snprintf(why, sizeof why, "no heartbeat for %g s", c->silence);
    progress_say(&c->run.progress, "rank %d on %s: %s; its points are reassigned", rank, member->home.host,
                 why);
    lose(c, rank, REASON_silent, why);
}

static void check_heartbeats(struct coordinator *c)
{
    struct team *team = &c->run.team;
    double now = heartbeat_now(&c->heartbeat);
    if (c->stage == STAGE_OVER || now - c->listened < c->silence / HEARTBEATS_PER_TIMEOUT)
        return;
    c->listened = now;
    for (int rank = 1; rank < team->count; rank++)
        if (!team->member[rank].silent && now - team->member[rank].heard > c->silence)
            lose_silent(c, rank);
}

/* Stop if all devices are quarantined or silent. A later run measures the rest. */
static void check_devices_left(struct coordinator *c)
{
    if (c->run.team.present || c->run.stopping || c->stage == STAGE_OVER || c->run.error.kind != ERROR_NONE)
        return;
    progress_say(&c->run.progress, "stopping: no device is left (%d quarantined, %d silent)",
                 c->run.quarantined, c->run.silent);
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

void coordinator_receive(struct coordinator *c, int rank, enum wire_type message, struct wire_reader *payload)
{
    struct run *run = &c->run;
    assert(rank >= 0 && rank < run->team.count);
    run->active |= message != WIRE_HEARTBEAT;
    run->team.member[rank].heard = heartbeat_now(&c->heartbeat);
    switch (message) {
    case WIRE_HOME:
        opening_take_home(run, rank, payload);
        break;
    case WIRE_HELLO:
        if (c->stage == STAGE_OPENING)
            opening_take_hello(run, rank, payload);
        break;
    case WIRE_FATAL:
        receive_fatal(c, rank, payload);
        break;
    case WIRE_DEVICE:
        if (c->stage == STAGE_CHARACTERISING)
            preparing_take_device(run, rank, payload);
        break;
    case WIRE_COMPILED:
        kernels_take(run, rank, payload);
        break;
    case WIRE_RESULTS:
        if (run->schedule) /* late results are kept, too */
            results_take(run, rank, payload);
        break;
    case WIRE_HEARTBEAT:
        mailbox_send(run->mailbox, rank, WIRE_ECHO, NULL);
        break;
    case WIRE_LANE:
        run_timeline_receive(run, rank, payload);
        break;
    case WIRE_NOTE:
        receive_note(c, rank, payload);
        break;
    case WIRE_LOST:
        receive_lost(c, rank, payload);
        break;
    case WIRE_DIED:
        receive_died(c, rank, payload);
        break;
    case WIRE_SIGNAL:
        receive_signal(c, payload);
        break;
    default:
        break; /* runners send nothing else */
    }
}

/* Measuring goes on while the disk stalls: only a checkpoint would wait for it. */
static void check_disk(struct coordinator *c)
{
    double seconds = store_waits(c->run.plan.store);
    if (seconds > c->silence && !c->disk_waits)
        progress_say(&c->run.progress,
                     "the disk has not taken results for %.0f s: they are kept in memory until it answers",
                     seconds);
    c->disk_waits = seconds > c->silence;
}

/* Let the store write. */
static void tick_store(struct coordinator *c)
{
    double start = clock_now();
    bool checkpoint = store_is_due(c->run.plan.store);
    if (checkpoint)
        run_timeline_write(&c->run);
    store_tick(c->run.plan.store, &c->run.error);
    check_disk(c);
    run_timeline_add(&c->run, checkpoint ? PHASE_checkpoint : PHASE_sync, start, clock_now());
    if (checkpoint)
        trace_say(&c->run.trace, "coordinator: checkpoint in %.3f s", clock_now() - start);
}

bool coordinator_step(struct coordinator *c)
{
    check_heartbeats(c);
    check_time(c);
    check_devices_left(c);
    step_phase(c);
    if (c->run.error.kind == ERROR_NONE && c->run.plan.open && c->stage != STAGE_OVER)
        tick_store(c);
    if (c->run.error.kind != ERROR_NONE)
        end_run(c);
    bool active = c->run.active;
    c->run.active = false;
    return active;
}

struct coordinator *coordinator_new(const struct launch_options *options, const struct trace *trace)
{
    struct coordinator *c = memory_new(1, sizeof *c);
    c->start = clock_now();
    c->silence = heartbeat_timeout(options->silence);
    c->run.options = options;
    c->run.trace = *trace;
    run_plan_read(&c->run.plan, options, &c->run.error);
    c->read = clock_now();
    return c;
}

bool coordinator_is_fine(const struct coordinator *c)
{
    return c->run.error.kind == ERROR_NONE;
}

void coordinator_begin(struct coordinator *c, struct mailbox *mailbox, int ranks)
{
    c->run.mailbox = mailbox;
    c->run.team = team_new(ranks);
    run_timeline_start(&c->run);
    run_timeline_add(&c->run, PHASE_open, c->start, c->read);
    progress_open(&c->run.progress, c->run.trace.on);
    opening_start(&c->run);
    enter(c, STAGE_OPENING);
    if (!coordinator_is_fine(c))
        end_run(c);
}

void coordinator_discard(struct coordinator *c)
{
    struct error unused;
    run_plan_close(&c->run.plan, NULL, &unused);
    free(c);
}

bool coordinator_all_ranks_ended(const struct coordinator *c)
{
    return c->run.timeline.ended + coordinator_silent_ranks(c) >= c->run.team.count;
}

int coordinator_silent_ranks(const struct coordinator *c)
{
    int silent = c->run.silent;
    for (int rank = 1; rank < c->run.team.count && c->run.stopping; rank++)
        silent += c->run.team.member[rank].busy && !c->run.team.member[rank].silent;
    return silent;
}

void coordinator_progress(const struct coordinator *c, uint64_t *done, uint64_t *total)
{
    *done = c->run.progress.done;
    *total = c->run.progress.total;
}

/* ---- End ---- */

/* How long set-up and measuring took, what was written, and when the run ended: unless it leaves the file as
 * it was. */
static void note_times(struct coordinator *c)
{
    struct store *store = c->run.plan.store;
    double now = clock_now();
    char text[32];
    if (store_is_untouched(store))
        return;
    snprintf(text, sizeof text, "%.3f", (c->measuring > 0 ? c->measuring : now) - c->start);
    store_note(store, "setup_seconds", text);
    if (c->measuring > 0) {
        snprintf(text, sizeof text, "%.3f", now - c->measuring);
        store_note(store, "execution_seconds", text);
    }
    snprintf(text, sizeof text, "%" PRIu64, store_written(store));
    store_note(store, "disk_written", text);
    clock_date(text, sizeof text);
    store_note(store, "end", text);
}

int coordinator_end(struct coordinator *c, struct dataset *results)
{
    struct run *run = &c->run;
    struct verdict verdict = {0};
    struct error closing = {0};
    bool opened = run->plan.open;
    bool unfinished = run->stopping && (!run->schedule || run->progress.done < run->progress.total);
    progress_clear(&run->progress);
    if (opened) {
        run_timeline_write(run);
        verdict = summary_judge(run, unfinished);
        note_times(c);
    }
    double start = clock_now();
    size_t planned = run->plan.grid ? grid_count(run->plan.grid) : 0;
    bool written = run_plan_close(&run->plan, results, &closing) == 0;
    if (!written && run->error.kind == ERROR_NONE)
        run->error = closing;
    if (unfinished && planned && written)
        summary_resume(run, planned, &verdict);
    if (opened)
        trace_say(&run->trace, "coordinator: final file written in %.3f s", clock_now() - start);
    if (run->error.kind != ERROR_NONE)
        progress_say(&run->progress, "%s", run->error.text);
    if (opened && written)
        summary_say(run, c->start, &verdict);
    if (c->note[0])
        progress_say(&run->progress, "%s", c->note);
    int code = run->error.kind != ERROR_NONE ? (int)run->error.kind : !opened || !verdict_is_good(&verdict);
    verdict_free(&verdict);
    environment_free(&run->opening.environment);
    environment_free(&run->opening.loaded);
    measuring_end(run);
    run_timeline_end(run);
    team_free(&run->team);
    privacy_free(&run->privacy);
    wire_free(&run->out);
    free(c);
    return code;
}
