/* forecast.h - forecast the remaining time of a run: from the times of earlier runs (plan/history.h), corrected by the times
 * and the pace of this run. Timing points, counting them, and their replicates take different times and follow one another,
 * so each is forecast separately.
 *
 * `now` is in s of clock_now. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "plan/grid.h"
#include "plan/history.h"

struct forecast; /* opaque */

struct forecast_options {
    const struct grid *grid;
    const struct timing *timing;
    struct history *history; /* is read, and gets the times of this run */
    int ranks;               /* of the run, lost ones included */
    int present, nodes;      /* ranks that measure, and their nodes */
    uint32_t further;        /* processes per point after the first */
    bool bound;              /* ... must be of the rank that has measured it first */
    int counters;            /* counters per point; 0: none */
    bool links_apart;        /* points of one device that load the host link leave other ranks alone */
};
struct forecast *forecast_new(const struct forecast_options *options);
void forecast_free(struct forecast *forecast);

/* Add a point to measure. When all are added, measuring starts. */
void forecast_add(struct forecast *forecast, uint32_t index);
void forecast_start(struct forecast *forecast, double now);

/* Add a point of an earlier run that lacks `processes` processes. Rank `rank` measures them; each takes `seconds`, as the
 * earlier ones did (NaN: unknown). */
void forecast_add_partial(struct forecast *forecast, uint32_t index, int rank, uint32_t processes,
                          double seconds);

/* A rank gets points to time, or to count, then begins; `refused`: it had to wait for points that run alone on its node. Each forecast_report
 * returns the seconds since it began or last reported; what it reports follows by forecast_add_timed etc. Finally it is
 * idle. */
void forecast_assign(struct forecast *forecast, uint32_t index, int rank, bool count);
void forecast_begin_batch(struct forecast *forecast, int rank, double now, bool refused);
double forecast_report(struct forecast *forecast, int rank, double now);
void forecast_mark_idle(struct forecast *forecast, int rank);

/* A rank has timed a point in `seconds`; a replicate would take `again` seconds of them. `ok`: it succeeded, so its time is
 * used for forecasts, and counting and replicates follow. Or it has measured a replicate. */
void forecast_add_timed(struct forecast *forecast, uint32_t index, int rank, double seconds, double again,
                        bool ok);
void forecast_add_repeat(struct forecast *forecast, uint32_t index, int rank, double seconds);

/* A point was counted; `seconds`: its share of the time of its batch. */
void forecast_add_counted(struct forecast *forecast, uint32_t index, int rank, double seconds);

/* The rank is lost, and its replicates are dropped. */
void forecast_lose(struct forecast *forecast, int rank);

/* Whether the replicates that only this rank can measure take as long as its share of all that is left, with `counting` seconds of
 * points to count. False if it is unknown, or if points run alone on their node. */
bool forecast_has_share(const struct forecast *forecast, int rank, double counting);

/* Seconds until everything is measured; NaN: unknown. */
double forecast_left(const struct forecast *forecast, double now);

/* Add the cost of this run besides its points to the history. `fixed`: seconds before measuring. */
void forecast_remember(struct forecast *forecast, double fixed, double now);
