/* stopping.h - when enough samples were taken: the one rule for every back end.
 *
 * After its share of `min_samples`, sampling in this process ends when the 95 % interval of the process's median, which
 * allows for samples that depend on those before them (statistics/within.h), is within its target to either
 * side; when the interval has stopped shrinking (the noise is the machine's, and more samples would not help);
 * when `max_time` is used up; or at `max_samples`. The target is that of the point times the square root of
 * the number of processes that measure it: together they then meet it. */
#ifndef WORKER_STOPPING_H
#define WORKER_STOPPING_H

#include <stddef.h>
#include <stdint.h>

#include "protocol/config.h"

/* Start from stopping_start; stopping_free releases it. */
struct stopping {
    struct timing timing;
    double target; /* relative half-width of this process's interval */
    double *times; /* owned: the samples so far, as they came */
    size_t count, capacity;
    size_t next_check, next_settled;
    double settled_width; /* relative half-width of the interval at the last settled check; NaN before */
    int stalls;           /* successive settled checks at which it had not shrunk */
};

/* Samples that this process takes at least: its share of `min_samples`, which all processes of a point take together,
 * and no fewer than ten of them. */
uint32_t stopping_min(const struct timing *timing);

struct stopping stopping_start(const struct timing *timing);

/* Take one sample, in seconds; `elapsed` is the time since sampling began, in seconds. STOP_NONE: go on.
 * Costs a microsecond or so on average, so it may follow every sample. */
enum stop_reason stopping_add(struct stopping *stopping, double seconds, double elapsed);

void stopping_free(struct stopping *stopping);

#endif
