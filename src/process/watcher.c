#include "process/watcher.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILL_SECONDS 2

/* Whether the other end of the pipe is still open, in the parent alone, after `seconds`. */
static bool is_running(int pipe, unsigned seconds)
{
    struct pollfd ended = {.fd = pipe, .events = POLLIN};
    return poll(&ended, 1, (int)seconds * 1000) == 0;
}

static void watch(int pipe, pid_t parent, unsigned seconds, void (*report)(void))
{
    signal(SIGALRM, SIG_IGN);
    if (is_running(pipe, seconds) && getppid() == parent) {
        if (report)
            report();
        kill(parent, SIGALRM);
        if (is_running(pipe, KILL_SECONDS) && getppid() == parent)
            kill(parent, SIGKILL);
    }
    _exit(0);
}

struct watcher watcher_start(unsigned seconds, void (*report)(void))
{
    int ends[2];
    pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC) != 0)
        return (struct watcher){0};
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        watch(ends[0], parent, seconds, report);
    }
    close(ends[0]);
    if (child < 0) {
        close(ends[1]);
        return (struct watcher){0};
    }
    return (struct watcher){.child = child, .pipe = ends[1]};
}

void watcher_stop(struct watcher *watcher)
{
    if (watcher->child) {
        close(watcher->pipe);
        waitpid(watcher->child, NULL, 0);
    }
    *watcher = (struct watcher){0};
}
