#include "runner/worker_link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "process/host_memory.h"
#include "process/process.h"

#define KILLED          "killed by signal 9 "
#define DEATH_SECONDS   2.0 /* s from the end of the pipe to the end of the process */
#define DISMISS_SECONDS 1.0
#define KILL_SECONDS    10.0 /* s until a killed process counts as stuck in a driver and is abandoned */
#define DYING_MAX       4 /* one that was dismissed, and those that were started beside it and have failed */

struct worker_link {
    struct process process;
    struct process spare[WORKER_SPARES_MAX]; /* wait for WIRE_OPEN, the oldest first */
    int spares;
    char prepared[160]; /* their arguments */
    struct wire_stream stream;
    /* Requests that have not left whole: a worker that does not read must not stop its rank. */
    struct wire unsent;
    size_t sent;            /* bytes of them that have left */
    int64_t kills;          /* for lack of memory, before it was started */
    bool ended;             /* its pipe has ended */
    double ended_at;        /* s of clock_now */
    struct process leaving; /* was asked to exit; or none */
    double left_at;         /* s of clock_now: when that was */
    struct killed {
        pid_t pid;    /* 0: none */
        double since; /* s of clock_now */
    } dying[DYING_MAX];
};

static void describe(char *text, size_t size, const char *backend, int local_rank, const char *device)
{
    snprintf(text, size, "%s %d %s", backend, local_rank, device);
}

void worker_link_prepare(struct worker_link *worker, int count, const char *backend, int local_rank,
                         const char *device)
{
    struct error ignored;
    char wanted[sizeof worker->prepared];
    describe(wanted, sizeof wanted, backend, local_rank, device);
    if (worker->spares && strcmp(wanted, worker->prepared) != 0)
        return; /* the next start does away with them */
    memcpy(worker->prepared, wanted, sizeof wanted);
    while (worker->spares < count && worker->spares < WORKER_SPARES_MAX &&
           process_start_worker(&worker->spare[worker->spares], backend, local_rank, device, "--spare",
                                &ignored) == 0)
        worker->spares++;
}

static struct process oldest_spare(struct worker_link *worker)
{
    struct process spare = worker->spare[0];
    worker->spares--;
    memmove(worker->spare, worker->spare + 1, (size_t)worker->spares * sizeof *worker->spare);
    return spare;
}

/* The oldest spare that lives, if it was started in the same way. Others are gone. */
static bool take_spare(struct worker_link *worker, const char *backend, int local_rank, const char *device)
{
    char wanted[sizeof worker->prepared], how[128];
    describe(wanted, sizeof wanted, backend, local_rank, device);
    while (worker->spares) {
        struct process spare = oldest_spare(worker);
        if (process_ended(&spare, how, sizeof how))
            continue;
        if (!strcmp(wanted, worker->prepared)) {
            worker->process = spare;
            return true;
        }
        process_kill(&spare);
    }
    return false;
}

int worker_link_start(struct worker_link *worker, const char *backend, int local_rank, const char *device,
                      struct error *error)
{
    bool spare = take_spare(worker, backend, local_rank, device);
    wire_stream_free(&worker->stream);
    worker->ended = false;
    worker->sent = worker->unsent.length = 0;
    worker->kills = host_memory_read("").kills;
    if (!spare && process_start_worker(&worker->process, backend, local_rank, device, NULL, error) != 0)
        return -1;
    fcntl(worker->process.to, F_SETFL, O_NONBLOCK);
    if (spare)
        worker_link_send(worker, WIRE_OPEN, NULL);
    return 0;
}

int worker_link_start_compiler(struct worker_link *worker, const char *backend, struct error *error)
{
    if (process_start_worker(&worker->process, backend, 0, "", "--compiles", error) != 0)
        return -1;
    fcntl(worker->process.to, F_SETFL, O_NONBLOCK);
    return 0;
}

bool worker_link_is_up(const struct worker_link *worker)
{
    return worker->process.pid > 0;
}

bool worker_link_peek(struct worker_link *worker, double seconds, struct greeting *greeting)
{
    enum wire_type type = WIRE_FATAL;
    struct wire_reader payload;
    struct pollfd pipe = {.fd = worker->process.from, .events = POLLIN};
    int next = 0;
    for (double end = clock_now() + seconds;
         worker_link_is_up(worker) && !worker->ended && !next && clock_now() < end;) {
        poll(&pipe, 1, 10);
        worker->ended = wire_stream_fill(&worker->stream, pipe.fd) < 0;
        worker->ended_at = clock_now();
        next = wire_stream_next(&worker->stream, &type, &payload);
    }
    worker->stream.taken = 0;
    return next > 0 && type == WIRE_HELLO && greeting_get(&payload, greeting);
}

/* As much as the pipe takes. That a worker is gone is seen when it is read from. */
static void send_rest(struct worker_link *worker)
{
    while (worker->sent < worker->unsent.length) {
        ssize_t wrote = write(worker->process.to, worker->unsent.data + worker->sent,
                              worker->unsent.length - worker->sent);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0 && errno == EAGAIN)
            return;
        worker->sent += wrote < 0 ? worker->unsent.length - worker->sent : (size_t)wrote;
    }
    worker->sent = worker->unsent.length = 0;
}

void worker_link_send(struct worker_link *worker, enum wire_type type, const struct wire *payload)
{
    if (!worker_link_is_up(worker))
        return;
    wire_put_frame(&worker->unsent, type, payload);
    send_rest(worker);
}

/* Kill it, and wait for its end in worker_link_is_free. */
static void kill_off(struct worker_link *worker, struct process *process)
{
    struct killed killed = {process_kill_off(process), clock_now()};
    int slot = 0;
    while (slot < DYING_MAX - 1 && worker->dying[slot].pid)
        slot++;
    if (killed.pid)
        worker->dying[slot] = killed;
}

void worker_link_kill(struct worker_link *worker)
{
    kill_off(worker, &worker->process);
    wire_stream_free(&worker->stream);
    worker->ended = false;
}

bool worker_link_is_leaving(const struct worker_link *worker)
{
    return worker->leaving.pid > 0;
}

bool worker_link_is_free(struct worker_link *worker)
{
    char how[128];
    if (worker->leaving.pid > 0 && !process_ended(&worker->leaving, how, sizeof how)) {
        if (clock_now() - worker->left_at < DISMISS_SECONDS)
            return false;
        kill_off(worker, &worker->leaving);
    }
    bool free = true;
    for (struct killed *one = worker->dying; one < worker->dying + DYING_MAX; one++) {
        if (process_is_reaped(one->pid) || clock_now() - one->since >= KILL_SECONDS)
            one->pid = 0;
        free &= !one->pid;
    }
    return free;
}

/* How it has ended, and whether that was for lack of memory. */
static void describe_end(const struct worker_link *worker, const char *how, char *why, size_t size)
{
    struct host_memory memory = host_memory_read("");
    bool killed = !strncmp(how, "killed", 6), starved = !strncmp(how, KILLED, strlen(KILLED));
    char limit[64] = "";
    if (memory.limit >= 0)
        snprintf(limit, sizeof limit, ": its control group may use %.3g GiB", (double)memory.limit / 0x1p30);
    starved &= memory.kills > worker->kills;
    snprintf(why, size, "the worker %s%s%s%s", killed ? "was " : "", how,
             starved ? " for lack of memory" : "", starved ? limit : "");
}

/* The pipe has ended, so the process should end soon. */
static enum link_event see_end(struct worker_link *worker, char *why, size_t size)
{
    char how[128];
    if (process_ended(&worker->process, how, sizeof how)) {
        describe_end(worker, how, why, size);
        return LINK_GONE;
    }
    if (clock_now() - worker->ended_at < DEATH_SECONDS)
        return LINK_QUIET;
    snprintf(why, size, "the worker closed its pipe");
    worker_link_kill(worker);
    return LINK_GONE;
}

enum link_event worker_link_next(struct worker_link *worker, enum wire_type *type,
                                 struct wire_reader *payload, char *why, size_t size)
{
    if (!worker_link_is_up(worker))
        return LINK_QUIET;
    send_rest(worker);
    int next = wire_stream_next(&worker->stream, type, payload);
    if (!next && !worker->ended) {
        int got = wire_stream_fill(&worker->stream, worker->process.from);
        if (got < 0) {
            worker->ended = true;
            worker->ended_at = clock_now();
        } else if (got > 0) {
            next = wire_stream_next(&worker->stream, type, payload);
        }
    }
    if (next)
        return next > 0 ? LINK_MESSAGE : LINK_UNREADABLE;
    return worker->ended ? see_end(worker, why, size) : LINK_QUIET;
}

int worker_link_descriptor(const struct worker_link *worker)
{
    bool alone = worker->leaving.pid <= 0;
    for (int i = 0; i < DYING_MAX; i++)
        alone &= !worker->dying[i].pid;
    return alone && !worker->ended ? worker->process.from : -1;
}

double worker_link_busy(const struct worker_link *worker)
{
    return process_busy(&worker->process);
}

void worker_link_dismiss(struct worker_link *worker)
{
    if (worker->process.pid <= 0)
        return;
    worker_link_send(worker, WIRE_QUIT, NULL);
    worker->leaving = worker->process;
    worker->left_at = clock_now();
    worker->process = process_none();
    worker_link_kill(worker);
}

void worker_link_free(struct worker_link *worker)
{
    while (worker->spares) {
        struct process spare = oldest_spare(worker);
        process_kill(&spare);
    }
    wire_free(&worker->unsent);
    free(worker);
}

struct worker_link *worker_link_new(void)
{
    struct worker_link *worker = memory_new(1, sizeof *worker);
    worker->process = worker->leaving = process_none();
    return worker;
}
