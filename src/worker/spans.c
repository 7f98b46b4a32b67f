#include "worker/spans.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"

#define DUE_SECONDS 0.05
#define SECONDS_MIN 10e-6 /* shorter spans are counted as the phase before them */
#define SPANS_MAX   64    /* sent one by one; more are summed */

static _Thread_local bool recording; /* true in the main thread only, between spans_begin and spans_end */
static struct timeline lane;
static const struct space *kernel; /* of the current point */
static double sent;                /* time of the last spans_put */

/* The kernel of each span of the lane. */
static const void **kernels;
static size_t kernels_count, kernels_capacity;

static void note_kernels(void)
{
    while (kernels_count < lane.count) {
        kernels = memory_grow(kernels, kernels_count, &kernels_capacity, sizeof *kernels);
        kernels[kernels_count++] = kernel;
    }
}

static void enter(enum phase phase, uint64_t point)
{
    timeline_enter(&lane, phase, point, clock_now());
    note_kernels();
}

void spans_begin(enum phase phase)
{
    recording = true;
    kernel = NULL;
    lane.on = false; /* the rank records the time between requests */
    enter(phase, 0);
}

void spans_end(void)
{
    if (recording)
        enter(lane.phase, lane.point);
    recording = lane.on = false;
}

void spans_point(const struct point *point)
{
    if (!recording)
        return;
    enter(lane.phase, point ? point_id(point) : 0);
    kernel = point ? point->space : NULL;
}

enum phase spans_enter(enum phase phase)
{
    enum phase before = lane.phase;
    if (recording && phase != before)
        enter(phase, lane.point);
    return before;
}

void spans_leave(enum phase before)
{
    spans_enter(before);
}

void spans_share(double start, enum phase first, enum phase second, double share)
{
    if (!recording)
        return;
    enter(lane.phase, lane.point);
    double end = lane.since, middle = start + share * (end - start);
    size_t before = lane.count;
    timeline_lay(
        &lane, &(struct span){
                   .start = start, .end = middle, .point = lane.point, .parts = 1, .phase = (uint8_t)first});
    timeline_lay(&lane,
                 &(struct span){
                     .start = middle, .end = end, .point = lane.point, .parts = 1, .phase = (uint8_t)second});
    if (lane.count < before) /* earlier spans were overwritten */
        kernels_count = lane.count;
    note_kernels();
}

bool spans_are_due(void)
{
    return clock_now() - sent > DUE_SECONDS;
}

void spans_put(struct wire *wire)
{
    if (recording)
        enter(lane.phase, lane.point);
    if (lane.count > SPANS_MAX)
        timeline_sum(&lane, kernels);
    else
        timeline_absorb(&lane, SECONDS_MIN);
    timeline_put(&lane, wire);
    kernels_count = 0;
    sent = clock_now();
}
