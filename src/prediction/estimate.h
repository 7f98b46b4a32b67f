/* estimate.h - how long a job would run, on each kind of device that was measured on before. */
#ifndef PREDICTION_ESTIMATE_H
#define PREDICTION_ESTIMATE_H

#include "plan/grid.h"

struct estimate {
    char backend[32], device[256];
    double seconds;       /* of a run of one rank, from start to end */
    size_t points, known; /* that can exist; of those, how many were measured there with this timing */
};

/* One for each history of the cache folder, by name; owned by the caller. Points of which nothing at all is known there are
 * guessed. */
struct estimate *estimates_of(const struct grid *grid, const struct timing *timing, size_t *count);

#endif
