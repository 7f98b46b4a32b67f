/* watcher.h - child processes that watch this one: end it if it takes too long, or print a message of our own
 * if a library ends it. */
#pragma once

#include <sys/types.h>

struct watcher {
    pid_t child; /* 0: there is none */
    int pipe;    /* closes with this process, however that ends */
};

/* After `seconds` the child calls `report` (NULL: nothing), sends SIGALRM to this process and, 2 s later,
 * SIGKILL, even if it is stopped. The caller sets the handler of SIGALRM. `child` is 0 if there is no pipe or
 * process to be had: then nothing watches. */
struct watcher watcher_start(unsigned seconds, void (*report)(void));
void watcher_stop(struct watcher *watcher); /* ends the child */

/* Capture stderr, and fork a process that calls `print`, in place of the library's messages, if this one ends
 * before crash_message_disarm, by _exit or a signal too. Call it before there are threads. If it fails,
 * nothing changes. */
struct crash_message {
    struct watcher watcher;
    int captured, real_stderr; /* -1: stderr is not captured */
};
struct crash_message crash_message_arm(void (*print)(void));
void crash_message_disarm(struct crash_message *message); /* captured output goes to stderr */
