/* heartbeat.h - the clock that timeouts between ranks are measured with.
 *
 * Every rank sends WIRE_HEARTBEAT, the coordinator answers with WIRE_ECHO. A side that has not heard the
 * other for the timeout stops waiting for it. The time is the listener's own *awake* time: while a process is
 * stopped or starved it hears nothing, which says nothing about its peers. */
#pragma once

#include "base/clock.h"

#define HEARTBEAT_TIMEOUT      30.0 /* s */
#define HEARTBEATS_PER_TIMEOUT 6
#define HEARTBEAT_STEP_MAX     0.25 /* s: so much of a longer pause between two looks at the clock counts */

/* `silence`: of --silence; 0: not given. */
static inline double heartbeat_timeout(double silence)
{
    return silence > 0 ? silence : HEARTBEAT_TIMEOUT;
}

/* Start from {0}. heartbeat_now returns the awake time in seconds; call it often. */
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
