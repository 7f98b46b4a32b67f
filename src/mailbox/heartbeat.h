/* heartbeat.h - who is still there. Every rank beats (MESSAGE_BEAT), the coordinator answers (MESSAGE_ECHO); who has not
 * been heard for some time is given up. The time is one's own *awake* time: a process that was stopped itself, or
 * held up, has not listened meanwhile, and takes nobody for silent because of that. */
#ifndef MAILBOX_HEARTBEAT_H
#define MAILBOX_HEARTBEAT_H

#include "base/clock.h"

#define PULSE_SILENCE   30.0 /* s: who is silent for so long is given up */
#define PULSE_BEATS     6    /* in that time */
#define PULSE_STEP_MOST 1.0  /* s: a longer pause was none in which anything was heard */

/* Start from {0}. */
struct pulse {
    double awake, last; /* s */
};

static inline double pulse_now(struct pulse *pulse)
{
    double now = clock_now(), step = now - pulse->last;
    if (pulse->last > 0)
        pulse->awake += step < PULSE_STEP_MOST ? step : PULSE_STEP_MOST;
    pulse->last = now;
    return pulse->awake;
}

#endif
