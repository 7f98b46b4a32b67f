#include "worker/stages.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "statistics/within.h"

/* With independent noise, doubling the samples narrows the interval to 1 / sqrt(2) = 0.71 of its width. If it
 * keeps more than STALL_SHARE of its width in STALLS_ENOUGH successive doublings, the noise is not
 * independent. */
#define STALL_SHARE   0.9
#define STALLS_ENOUGH 2

struct stopping stopping_start(const struct timing *timing)
{
    double processes = timing->replicates ? timing->replicates : 1;
    size_t least = config_samples_min(timing);
    return (struct stopping){.timing = *timing,
                             .target = timing->target_ci * sqrt(processes),
                             .next_check = least,
                             .next_settled = 2 * least,
                             .settled_width = NAN};
}

void stopping_free(struct stopping *stopping)
{
    free(stopping->times);
    stopping->times = NULL;
    stopping->count = stopping->capacity = 0;
}

/* Is the interval narrow enough? Checked after every sixteenth more samples: a check takes some microseconds
 * per hundred samples. */
static bool converged(struct stopping *stopping)
{
    if (stopping->count < stopping->next_check)
        return false;
    stopping->next_check = stopping->count + 1 + stopping->count / 16;
    return within_half_width(stopping->times, stopping->count) <= stopping->target;
}

static bool settled(struct stopping *stopping)
{
    if (stopping->count < stopping->next_settled)
        return false;
    stopping->next_settled = 2 * stopping->count;
    double width = within_half_width(stopping->times, stopping->count), before = stopping->settled_width;
    stopping->settled_width = width;
    stopping->stalls = width > STALL_SHARE * before ? stopping->stalls + 1 : 0;
    return stopping->stalls >= STALLS_ENOUGH;
}

enum stop_reason stopping_add(struct stopping *stopping, double seconds, double elapsed)
{
    const struct timing *timing = &stopping->timing;
    stopping->times = memory_grow(stopping->times, stopping->count, &stopping->capacity, sizeof(double));
    assert(stopping->count < timing->max_samples || !timing->max_samples);
    stopping->times[stopping->count++] = seconds;
    if (stopping->count < config_samples_min(timing))
        return STOP_NONE;
    if (converged(stopping))
        return STOP_CONVERGED;
    if (settled(stopping))
        return STOP_SETTLED;
    if (stopping->count >= timing->max_samples)
        return STOP_SAMPLES;
    if (elapsed >= timing->max_time)
        return STOP_TIME;
    return STOP_NONE;
}
