#include "worker/stopping.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "statistics/summary.h"

/* While noise is independent from sample to sample, twice the samples narrow the interval to 1 / sqrt(2) =
 * 0.71 of its width. When two doublings in a row leave more than this share each, it is not. */
#define STALL_SHARE   0.9
#define STALLS_ENOUGH 2

struct stopping stopping_start(const struct timing *timing, uint64_t seed)
{
    size_t least = timing->min_samples ? timing->min_samples : 1;
    return (struct stopping){.timing = *timing,
                             .seed = seed,
                             .next_check = least,
                             .next_settled = 2 * least,
                             .settled_width = NAN};
}

void stopping_free(struct stopping *stopping)
{
    free(stopping->ascending);
    stopping->ascending = NULL;
    stopping->count = stopping->capacity = 0;
}

static void insert(struct stopping *stopping, double seconds)
{
    stopping->ascending =
        memory_grow(stopping->ascending, stopping->count, &stopping->capacity, sizeof(double));
    size_t low = 0, high = stopping->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (stopping->ascending[middle] <= seconds)
            low = middle + 1;
        else
            high = middle;
    }
    double *place = stopping->ascending + low;
    memmove(place + 1, place, (stopping->count - low) * sizeof *place);
    *place = seconds;
    stopping->count++;
}

/* Half the interval's width over the median, from the order statistics around the median (David & Nagaraja
 * 2003, section 7.1): the bootstrap's interval to within its own noise, at no cost. */
static double quick_width(const struct stopping *stopping)
{
    double half = 1.96 * 0.5 * sqrt((double)stopping->count), middle = 0.5 * (double)(stopping->count - 1);
    double low = floor(middle - half), high = ceil(middle + half), last = (double)(stopping->count - 1);
    double from = stopping->ascending[low > 0 ? (size_t)low : 0];
    double to = stopping->ascending[high < last ? (size_t)high : (size_t)last];
    return 0.5 * (to - from) / statistics_quantile(stopping->ascending, stopping->count, 0.5);
}

static double bootstrap_width(const struct stopping *stopping)
{
    struct statistics s = statistics_of(stopping->ascending, stopping->count, stopping->seed);
    return 0.5 * (s.ci_high - s.ci_low) / s.median;
}

/* The bootstrap decides; it is asked only when the quick interval says that it may agree: with few samples
 * the quick one is up to twice as wide. */
static bool converged(struct stopping *stopping)
{
    if (stopping->count < 2 || stopping->count < stopping->next_check)
        return false; /* one sample has an interval of no width, which says nothing */
    stopping->next_check = stopping->count + 1 + stopping->count / 16;
    double target = stopping->timing.target_ci;
    return quick_width(stopping) <= 2 * target && bootstrap_width(stopping) <= target;
}

static bool settled(struct stopping *stopping)
{
    if (stopping->count < stopping->next_settled)
        return false;
    stopping->next_settled = 2 * stopping->count;
    double width = bootstrap_width(stopping), before = stopping->settled_width;
    stopping->settled_width = width;
    stopping->stalls = width > STALL_SHARE * before ? stopping->stalls + 1 : 0;
    return stopping->stalls >= STALLS_ENOUGH;
}

enum stop_reason stopping_add(struct stopping *stopping, double seconds, double elapsed)
{
    const struct timing *timing = &stopping->timing;
    insert(stopping, seconds);
    if (stopping->count < timing->min_samples)
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
