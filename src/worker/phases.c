#include "worker/phases.h"

#include "base/clock.h"

#define DUE_SECONDS 0.05

static _Thread_local bool recording; /* true in the main thread only, between phases_begin and phases_end */
static struct timeline lane;
static double sent; /* time of the last phases_put */

void phases_begin(enum phase phase)
{
    recording = true;
    lane.on = false; /* the rank records the time between requests */
    timeline_enter(&lane, phase, clock_now());
    timeline_point(&lane, NULL, 0, clock_now());
}

void phases_end(void)
{
    if (recording)
        timeline_enter(&lane, lane.phase, clock_now());
    recording = lane.on = false;
}

void phases_point(const struct point *point)
{
    if (recording)
        timeline_point(&lane, point ? point->space->kernel : NULL, point ? point_id(point) : 0, clock_now());
}

enum phase phases_enter(enum phase phase)
{
    enum phase before = lane.phase;
    if (recording && phase != before)
        timeline_enter(&lane, phase, clock_now());
    return before;
}

void phases_leave(enum phase before)
{
    phases_enter(before);
}

void phases_share(double start, enum phase first, enum phase second, double share)
{
    enum phase before = lane.phase;
    double end = clock_now();
    if (!recording)
        return;
    timeline_enter(&lane, first, start);
    timeline_enter(&lane, second, start + share * (end - start));
    timeline_enter(&lane, before, end);
}

bool phases_are_due(void)
{
    return clock_now() - sent > DUE_SECONDS;
}

void phases_put(struct wire *wire)
{
    sent = clock_now();
    if (recording)
        timeline_enter(&lane, lane.phase, sent);
    timeline_put(&lane, wire);
}
