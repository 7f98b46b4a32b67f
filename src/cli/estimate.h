/* estimate.h - run time of a job, per kind of device with a history. */
#pragma once

#include "plan/grid.h"

struct estimate {
    char backend[32], device[256];
    double seconds;       /* of a run of one rank, from start to end */
    size_t points, known; /* supported points; those timed before with these settings */
};

/* One per history in the cache folder, by name, without the fake back end's; caller frees. Points without any history are
 * guessed. `target`: unknown properties are 0; points that it cannot run take no time. */
struct estimate *estimates_of(const struct grid *grid, const struct timing *timing,
                              const struct target *target, size_t *count);
