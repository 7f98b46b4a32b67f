#include "launch/runner/worker_link.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/io.h"
#include "launch/wait.h"

#define DEATH_SECONDS 2.0  /* from the end of the pipe to the end of the process */
#define DISMISS_STEPS 1000 /* of a millisecond */

int worker_link_start(struct worker_link *link, const char *backend, int local_rank, struct error *error)
{
    char folder[PATH_MAX - 32], path[PATH_MAX], rank[16], in[8], out[8];
    io_executable_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/warpsweep-worker", folder);
    snprintf(rank, sizeof rank, "%d", local_rank);
    snprintf(in, sizeof in, "%d", PROCESS_IN);
    snprintf(out, sizeof out, "%d", PROCESS_OUT);
    const char *const argv[] = {
        "warpsweep-worker", "--backend", backend, "--local-rank", rank, "--in", in, "--out", out, NULL};
    wire_stream_free(&link->stream);
    link->ended = false;
    return process_start(&link->process, &(struct process_options){.path = path, .argv = argv, .pipes = true},
                         error);
}

bool worker_link_is_up(const struct worker_link *link)
{
    return link->process.pid > 0;
}

void worker_link_send(struct worker_link *link, enum wire_type type, const struct wire *payload)
{
    if (worker_link_is_up(link))
        (void)wire_send(link->process.to, type, payload);
}

/* The pipe has ended: the process is about to. */
static enum link_event see_end(struct worker_link *link, char *why, size_t size)
{
    char how[128];
    if (process_ended(&link->process, how, sizeof how)) {
        snprintf(why, size, "the worker %s%s", strncmp(how, "killed", 6) ? "" : "was ", how);
        return LINK_GONE;
    }
    if (clock_now() - link->ended_at < DEATH_SECONDS)
        return LINK_QUIET;
    snprintf(why, size, "the worker closed its pipe");
    worker_link_kill(link);
    return LINK_GONE;
}

enum link_event worker_link_next(struct worker_link *link, enum wire_type *type, struct wire_reader *payload,
                                 char *why, size_t size)
{
    if (!worker_link_is_up(link))
        return LINK_QUIET;
    int next = wire_stream_next(&link->stream, type, payload);
    if (!next && !link->ended) {
        int got = wire_stream_fill(&link->stream, link->process.from);
        if (got < 0) {
            link->ended = true;
            link->ended_at = clock_now();
        } else if (got > 0) {
            next = wire_stream_next(&link->stream, type, payload);
        }
    }
    if (next)
        return next > 0 ? LINK_MESSAGE : LINK_RUBBISH;
    return link->ended ? see_end(link, why, size) : LINK_QUIET;
}

int worker_link_descriptor(const struct worker_link *link)
{
    return link->ended ? -1 : link->process.from;
}

void worker_link_kill(struct worker_link *link)
{
    process_kill(&link->process);
    wire_stream_free(&link->stream);
    link->ended = false;
}

void worker_link_dismiss(struct worker_link *link)
{
    static const struct timespec step = {.tv_nsec = 1000000};
    char how[128];
    worker_link_send(link, WIRE_QUIT, NULL);
    for (int i = 0; i < DISMISS_STEPS && !process_ended(&link->process, how, sizeof how); i++)
        nanosleep(&step, NULL);
    worker_link_kill(link);
}
