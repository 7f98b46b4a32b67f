/* heartbeat.h - who is still there. Every rank beats (MESSAGE_HEARTBEAT), the coordinator answers (MESSAGE_ECHO); who has not
 * been heard for some time is given up. The time is one's own *awake* time: a process that was stopped itself, or
 * held up, has not listened meanwhile, and takes nobody for silent because of that. */
#ifndef MAILBOX_HEARTBEAT_H
#define MAILBOX_HEARTBEAT_H

#include "base/clock.h"

#define HEARTBEAT_TIMEOUT      30.0 /* s: who is silent for so long is given up */
#define HEARTBEATS_PER_TIMEOUT 6    /* in that time */
#define HEARTBEAT_STEP_MAX     1.0  /* s: a longer pause was none in which anything was heard */

/* Start from {0}. */
struct heartbeat {
    double awake, last; /* s */
};

static inline double heartbeat_now(struct heartbeat *heartbeat)
{
    double now = clock_now(), step = now - heartbeat->last;
    if (heartbeat->last > 0)
        heartbeat->awake += step < HEARTBEAT_STEP_MAX ? step : HEARTBEAT_STEP_MAX;
    heartbeat->last = now;
    return heartbeat->awake;
}

#endif
