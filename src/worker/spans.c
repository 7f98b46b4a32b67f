#include "worker/spans.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"

#define DUE_SECONDS   0.05
#define LEAST_SECONDS 10e-6 /* what is shorter counts as the phase before it */
#define SPANS_MAX    64    /* told at once; more of them are short, and are added up */

static _Thread_local bool telling; /* the main thread does, while it is at something */
static struct timeline lane;
static const struct space *kernel; /* of the point */
static double told;                /* when spans_put was called */

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
    telling = true;
    kernel = NULL;
    lane.on = false; /* what was between two requests is the rank's to tell */
    enter(phase, 0);
}

void spans_end(void)
{
    if (telling)
        enter(lane.phase, lane.point);
    telling = lane.on = false;
}

void spans_point(const struct point *point)
{
    if (!telling)
        return;
    enter(lane.phase, point ? point_id(point) : 0);
    kernel = point ? point->space : NULL;
}

enum phase spans_enter(enum phase phase)
{
    enum phase before = lane.phase;
    if (telling && phase != before)
        enter(phase, lane.point);
    return before;
}

void spans_leave(enum phase before)
{
    spans_enter(before);
}

void spans_share(double start, enum phase first, enum phase second, double share)
{
    if (!telling)
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
    if (lane.count < before) /* what was there has been covered whole */
        kernels_count = lane.count;
    note_kernels();
}

bool spans_are_due(void)
{
    return clock_now() - told > DUE_SECONDS;
}

void spans_put(struct wire *wire)
{
    if (telling)
        enter(lane.phase, lane.point);
    if (lane.count > SPANS_MAX)
        timeline_sum(&lane, kernels);
    else
        timeline_absorb(&lane, LEAST_SECONDS);
    timeline_put(&lane, wire);
    kernels_count = 0;
    told = clock_now();
}
