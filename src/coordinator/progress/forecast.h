/* forecast.h - how much work is left, and how long it will take: by what points took before (plan/history.h), corrected
 * by what this run's have taken, at the pace at which this run gets on. Timing points, counting them and measuring them
 * again by further processes take different times, and a run does one after the other: each is forecast by itself.
 *
 * Times `now` are those of clock_now. */
#ifndef COORDINATOR_PROGRESS_FORECAST_H
#define COORDINATOR_PROGRESS_FORECAST_H

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
    int counters;            /* that are counted of each point; 0: none */
};
struct forecast *forecast_new(const struct forecast_options *options);
void forecast_free(struct forecast *forecast);

/* A point is to be measured. Then: measuring begins. */
void forecast_add(struct forecast *forecast, uint32_t index);
void forecast_start(struct forecast *forecast, double now);

/* A rank is given points, and begins; `refused`: what it waited for had its node to itself. Then it tells of some: so many seconds after it began, or told last, which are returned;
 * forecast_add_timed and its like say of what. At the end it has nothing in hand any more. */
void forecast_assign(struct forecast *forecast, uint32_t index, int rank);
void forecast_begin_batch(struct forecast *forecast, int rank, double now, bool refused);
double forecast_report(struct forecast *forecast, int rank, double now);
void forecast_mark_idle(struct forecast *forecast, int rank);

/* A rank has done a point, in so many seconds; `again`: of which a further process would take so many. Or measured it by a
 * further process. `ok`: it went well, so that its time is one to go by, and counting and further processes follow. */
void forecast_add_timed(struct forecast *forecast, uint32_t index, int rank, double seconds, double again,
                        bool ok);
void forecast_add_repeat(struct forecast *forecast, uint32_t index, int rank, double seconds);

/* A point that was done has been counted: its share of the seconds that this took with others of its batch. */
void forecast_add_counted(struct forecast *forecast, uint32_t index, int rank, double seconds);

/* The rank is lost, and the further processes that were bound to it. */
void forecast_lose(struct forecast *forecast, int rank);

/* Seconds from now until all is measured; NaN: not known. */
double forecast_left(const struct forecast *forecast, double now);

/* Into the history: what the run took besides its points' own time; `fixed`: before measuring began. */
void forecast_remember(struct forecast *forecast, double fixed, double now);

#endif
