/* stopping.h - the stopping rule for samples, the same for all back ends.
 *
 * A process first takes its share of `min_samples`. Then it stops at the first of these:
 *   converged  the half-width of the 95 % interval of the process's median is within the target. The interval allows for
 *              autocorrelated samples (statistics/within.h). The target is that of the point times the square root of the
 *              number of processes that measure it, so that all processes together meet the point's target.
 *   settled    the interval has stopped shrinking: the noise does not average out, and more samples would not help.
 *   max_samples, max_time */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "protocol/config.h"

/* Start from stopping_start; stopping_free releases it. */
struct stopping {
    struct timing timing;
    double target; /* relative half-width of this process's interval */
    double *times; /* owned: the samples so far, in order */
    size_t count, capacity;
    size_t next_check, next_settled;
    double settled_width; /* relative half-width at the last check for settling; NaN before the first */
    int stalls;           /* successive checks without shrinking */
};

/* The minimum number of samples of this process: its share of `min_samples`, which is for all processes of a point together, but
 * at least ten (or `min_samples`, if that is less). */
uint32_t stopping_min(const struct timing *timing);

struct stopping stopping_start(const struct timing *timing);

/* Add a sample. `seconds`: its time; `elapsed`: seconds since sampling began. STOP_NONE: continue. Takes about 1 us on average,
 * so it can be called after each sample. */
enum stop_reason stopping_add(struct stopping *stopping, double seconds, double elapsed);

void stopping_free(struct stopping *stopping);
