/* watcher.h - a child process that watches this one, and ends it if it takes too long. */
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
