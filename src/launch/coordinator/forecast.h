/* forecast.h - how much work is left, and how long it will take: by what points took before (plan/history.h), corrected
 * by what this run's have taken, at the pace at which this run gets on. */
#ifndef LAUNCH_COORDINATOR_FORECAST_H
#define LAUNCH_COORDINATOR_FORECAST_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/grid.h"
#include "plan/history.h"

struct forecast; /* opaque */

struct forecast_options {
    const struct grid *grid;
    const struct timing *timing;
    struct history *history; /* what is known; what is measured is added to it */
    int ranks;               /* of the run, lost ones too */
    int present, nodes;      /* ranks that measure, on so many nodes */
    uint32_t further;        /* processes that measure each point beside the first */
    bool bound;              /* ... of the rank that measured it first */
};
struct forecast *forecast_new(const struct forecast_options *options);
void forecast_free(struct forecast *forecast);

/* A point is to be measured. Then: measuring begins. */
void forecast_add(struct forecast *forecast, uint32_t index);
void forecast_start(struct forecast *forecast);

/* A rank has done a point, in so many seconds; or measured it by a further process. `ok`: it went well, so that its time is
 * one to go by, and further processes follow. */
void forecast_done(struct forecast *forecast, uint32_t index, int rank, double seconds, bool ok);
void forecast_repeated(struct forecast *forecast, uint32_t index, int rank, double seconds);

/* The rank is lost, and the further processes that were bound to it. */
void forecast_lose(struct forecast *forecast, int rank);

/* Seconds from now until all is measured; NaN: not known. */
double forecast_left(const struct forecast *forecast);

/* Into the history: what the run took besides its points' own time; `fixed`: before measuring began. */
void forecast_remember(struct forecast *forecast, double fixed);

#endif
