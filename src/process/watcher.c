#include "process/watcher.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

/* The pipe's other end is in the parent alone, and closes when that ends. */
static void watch(int pipe, pid_t parent, unsigned seconds)
{
    struct pollfd ended = {.fd = pipe, .events = POLLIN};
    signal(SIGALRM, SIG_IGN);
    if (poll(&ended, 1, (int)seconds * 1000) == 0 && getppid() == parent)
        kill(parent, SIGKILL);
    _exit(0);
}

void watcher_start(unsigned seconds)
{
    int ends[2];
    pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        watch(ends[0], parent, seconds);
    }
    close(ends[0]);
    if (child < 0)
        close(ends[1]); /* else it stays open as long as this process lives */
}
