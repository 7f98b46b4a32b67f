/* estimate.h - run time of a job, per kind of device with a history. */
#ifndef PREDICTION_ESTIMATE_H
#define PREDICTION_ESTIMATE_H

#include "plan/grid.h"

struct estimate {
    char backend[32], device[256];
    double seconds;       /* of a run of one rank, from start to end */
    size_t points, known; /* supported points; those timed before with these settings */
};

/* One per history in the cache folder, by name; caller frees. Points without any history are guessed. */
struct estimate *estimates_of(const struct grid *grid, const struct timing *timing, size_t *count);

#endif
