/* wait.h - waiting without spinning. A rank that waits looks at its worker's pipe and at MPI in turn, and
 * sleeps in between: shortly at first, longer when nothing comes, so that it neither delays work nor disturbs
 * a measurement. */
#ifndef MAILBOX_WAIT_H
#define MAILBOX_WAIT_H

#include <stddef.h>
#include <poll.h>
#include <time.h>

#include "base/clock.h"

#define WAIT_FIRST 20e-6 /* s */
#define WAIT_MAX   10e-3

/* Sleep `*pause` seconds, or until `fd` (if not negative) has something to read or a signal comes; the next
 * pause is longer, up to `most`. Set `*pause` to WAIT_FIRST whenever something happened. */
static inline void wait_for(double *pause, double most, int fd)
{
    struct timespec time = {.tv_nsec = (long)(*pause * 1e9)};
    struct pollfd poll = {.fd = fd, .events = POLLIN};
    ppoll(&poll, 1, &time, NULL);
    *pause = *pause * 1.5 < most ? *pause * 1.5 : most;
}

#endif
