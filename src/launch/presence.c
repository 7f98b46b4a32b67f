#include "launch/launch.h"

#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "base/thread.h"
#include "mailbox/heartbeat.h"

#define LOOK_SECONDS 0.25 /* between two looks at the main thread */

static struct {
    struct mailbox *mailbox;
    int ranks;
    double silence;
    const char *path;
    pthread_t thread;
    bool running;
    int pipe[2]; /* closing [1] ends the thread */
    atomic_ulong turns;
} presence;

static void say_busy(double seconds)
{
    fprintf(stderr,
            "warpsweep: note: rank 0 has been reading or writing %s for %.0f s: is its file system slow? The "
            "run goes on when that is done\n",
            presence.path, seconds);
}

static void *tell_ranks(void *unused)
{
    struct pollfd ended = {.fd = presence.pipe[0], .events = POLLIN};
    struct heartbeat heartbeat = {0};
    unsigned long turns = 0;
    double every = presence.silence / HEARTBEATS_PER_TIMEOUT, turned_at = 0, told_at = 0;
    bool said = false;
    while (poll(&ended, 1, (int)(1e3 * LOOK_SECONDS)) == 0) {
        double now = heartbeat_now(&heartbeat);
        if (presence.turns != turns) {
            turns = presence.turns;
            turned_at = now;
            said = false;
        }
        if (now - turned_at < every || now - told_at < every)
            continue;
        told_at = now;
        for (int rank = 1; rank < presence.ranks; rank++)
            mailbox_send(presence.mailbox, rank, WIRE_ECHO, NULL);
        if (!said && now - turned_at > presence.silence) {
            said = true;
            say_busy(now - turned_at);
        }
    }
    return unused;
}

void presence_begin(struct mailbox *mailbox, int ranks, double silence, const char *path)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    presence.mailbox = mailbox;
    presence.ranks = ranks;
    presence.silence = silence;
    presence.path = path;
    presence.pipe[0] = ends[0];
    presence.pipe[1] = ends[1];
    presence.running = thread_start(&presence.thread, tell_ranks, NULL) == 0;
    if (!presence.running) {
        close(ends[0]);
        close(ends[1]);
    }
}

void presence_turn(void)
{
    presence.turns++;
}

void presence_end(void)
{
    if (!presence.running)
        return;
    close(presence.pipe[1]);
    pthread_join(presence.thread, NULL);
    close(presence.pipe[0]);
    presence.running = false;
}
