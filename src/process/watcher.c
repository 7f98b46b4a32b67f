#include "process/watcher.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILL_SECONDS 2

void watcher_stop(struct watcher *watcher)
{
    if (watcher->child) {
        close(watcher->pipe);
        waitpid(watcher->child, NULL, 0);
    }
    *watcher = (struct watcher){0};
}

struct limit {
    pid_t parent;
    unsigned seconds;
    void (*report)(void);
};

/* Whether the other end of the pipe is still open after `seconds`. */
static bool is_running(int pipe, unsigned seconds)
{
    struct pollfd ended = {.fd = pipe, .events = POLLIN};
    return poll(&ended, 1, (int)seconds * 1000) == 0;
}

static void watch(int pipe, const struct limit *limit)
{
    signal(SIGALRM, SIG_IGN);
    if (is_running(pipe, limit->seconds) && getppid() == limit->parent) {
        if (limit->report)
            limit->report();
        kill(limit->parent, SIGALRM);
        if (is_running(pipe, KILL_SECONDS) && getppid() == limit->parent)
            kill(limit->parent, SIGKILL);
    }
    _exit(0);
}

/* The child has the other end of a pipe, whose own end only this process has. */
struct watcher watcher_start(unsigned seconds, void (*report)(void))
{
    const struct limit limit = {getpid(), seconds, report};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return (struct watcher){0};
    fflush(stderr);
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        watch(ends[0], &limit);
    }
    close(ends[0]);
    if (child < 0) {
        close(ends[1]);
        return (struct watcher){0};
    }
    return (struct watcher){.child = child, .pipe = ends[1]};
}
