#include "process/watcher.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"

#define KILL_SECONDS 2

/* A child that `watch`es the other end of its pipe, which only this process has, and does not return from
 * that. */
static struct watcher fork_watcher(void (*watch)(int pipe, const void *how), const void *how)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return (struct watcher){0};
    fflush(stderr);
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        watch(ends[0], how);
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

/* ---- One that ends this process ---- */

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

static void watch_time(int pipe, const void *how)
{
    const struct limit *limit = how;
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

struct watcher watcher_start(unsigned seconds, void (*report)(void))
{
    return fork_watcher(watch_time, &(struct limit){getpid(), seconds, report});
}

/* ---- One that prints a message ---- */

/* A byte arrives on disarming; without one the pipe ends with the process that holds its other end. */
static void watch_end(int pipe, const void *how)
{
    void (*const *print)(void) = how;
    char byte;
    if (io_read_full(pipe, &byte, 1) != 1)
        (*print)();
    fflush(stderr);
    _exit(0);
}

struct crash_message crash_message_arm(void (*print)(void))
{
    struct crash_message message = {
        .watcher = fork_watcher(watch_end, &print), .captured = -1, .real_stderr = -1};
    if (!message.watcher.child)
        return message;
    message.captured = memfd_create("stderr", MFD_CLOEXEC);
    message.real_stderr = message.captured < 0 ? -1 : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    if (message.real_stderr >= 0)
        dup2(message.captured, STDERR_FILENO);
    return message;
}

static void show_captured(struct crash_message *message)
{
    char block[4096];
    ssize_t size;
    fflush(stderr);
    dup2(message->real_stderr, STDERR_FILENO);
    close(message->real_stderr);
    lseek(message->captured, 0, SEEK_SET);
    while ((size = io_read_full(message->captured, block, sizeof block)) > 0)
        if (io_write_full(STDERR_FILENO, block, (size_t)size) != 0)
            break;
}

void crash_message_disarm(struct crash_message *message)
{
    if (message->watcher.child)
        io_write_full(message->watcher.pipe, "", 1);
    watcher_stop(&message->watcher);
    if (message->real_stderr >= 0)
        show_captured(message);
    if (message->captured >= 0)
        close(message->captured);
    *message = (struct crash_message){.captured = -1, .real_stderr = -1};
}
