/* forecast.h - how much work is left, and how long it will take: by what points took before (plan/history.h), corrected
 * by what this run's have taken, at the pace at which this run gets on. */
#ifndef LAUNCH_COORDINATOR_FORECAST_H
#define LAUNCH_COORDINATOR_FORECAST_H

#include <stdint.h>

#include "plan/grid.h"
#include "plan/history.h"

struct forecast; /* opaque */

/* `history`: what is known; what is measured is added to it. `ranks`: that measure; `nodes`: on so many nodes. */
struct forecast *forecast_new(const struct grid *grid, const struct timing *timing, struct history *history,
                              int ranks, int nodes);
void forecast_free(struct forecast *forecast);

/* A point is to be measured, by `replicates` further processes too. Then: measuring begins. */
void forecast_add(struct forecast *forecast, uint32_t index, uint32_t replicates);
void forecast_start(struct forecast *forecast);

/* A point is done, after so many seconds; or one of its replicates. `ok`: it went well, so that its time is one to go by.
 */
void forecast_done(struct forecast *forecast, uint32_t index, double seconds, bool ok);
void forecast_replicate(struct forecast *forecast, double seconds);

/* A point is done and its further processes will not measure it. */
void forecast_drop(struct forecast *forecast, uint32_t replicates);

/* Seconds from now until all is measured; NaN: not known. */
double forecast_left(const struct forecast *forecast);

/* Into the history: what the run took besides its points' own time; `fixed`: before measuring began. */
void forecast_remember(struct forecast *forecast, double fixed);

#endif
