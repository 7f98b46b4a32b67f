#include "statistics/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

/* Resamples of the bootstrap: its own noise on a 95 % interval's end is then about 1 % of the interval. */
enum { BOOTSTRAP_RESAMPLES = 1000, BOOTSTRAP_VALUES_MAX = 256 };

/* The median of a resample depends on how often each of the ascending values was drawn, so drawing counts and
 * walking to the middle is enough: no sort per resample. */
static double resampled_median(const double *ascending, size_t count, uint64_t *state, uint16_t *drawn)
{
    memset(drawn, 0, count * sizeof *drawn);
    for (size_t i = 0; i < count; i++) {
        uint64_t random = hash_mix(*state += UINT64_C(0x9e3779b97f4a7c15));
        drawn[(random >> 32) * count >> 32]++;
    }
    size_t before = 0, at = 0, middle = (count - 1) / 2;
    while (before + drawn[at] <= middle)
        before += drawn[at++];
    double median = ascending[at];
    if (count % 2 == 0 && before + drawn[at] == middle + 1) { /* the upper middle is the next drawn value */
        size_t next = at + 1;
        while (!drawn[next])
            next++;
        median = 0.5 * (median + ascending[next]);
    }
    return median;
}

/* Percentile bootstrap (Efron & Tibshirani 1993, chapter 13). From BOOTSTRAP_VALUES_MAX values on, the order
 * statistics around the median by the normal approximation of the binomial give the same interval at no cost
 * (David & Nagaraja 2003, section 7.1). */
static void median_interval(const double *ascending, size_t count, uint64_t seed, double *low, double *high)
{
    if (count > BOOTSTRAP_VALUES_MAX) {
        double half = 1.959963985 * 0.5 * sqrt((double)count);
        double middle = 0.5 * (double)(count - 1);
        *low = ascending[(size_t)floor(middle - half)];
        *high = ascending[(size_t)ceil(middle + half)];
        return;
    }
    double medians[BOOTSTRAP_RESAMPLES];
    uint16_t drawn[BOOTSTRAP_VALUES_MAX];
    for (size_t i = 0; i < BOOTSTRAP_RESAMPLES; i++)
        medians[i] = resampled_median(ascending, count, &seed, drawn);
    quantile_sort(medians, BOOTSTRAP_RESAMPLES);
    *low = statistics_quantile(medians, BOOTSTRAP_RESAMPLES, 0.025);
    *high = statistics_quantile(medians, BOOTSTRAP_RESAMPLES, 0.975);
}

struct statistics statistics_of(const double *values, size_t count, uint64_t seed)
{
    struct statistics s = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, count};
    if (!count)
        return s;
    double *ascending = memory_new(count, sizeof *ascending);
    memcpy(ascending, values, count * sizeof *ascending);
    quantile_sort(ascending, count);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += ascending[i];
    s.mean = sum / (double)count;
    s.median = statistics_quantile(ascending, count, 0.5);
    s.min = ascending[0];
    s.p05 = statistics_quantile(ascending, count, 0.05);
    s.p95 = statistics_quantile(ascending, count, 0.95);
    median_interval(ascending, count, seed, &s.ci_low, &s.ci_high);
    for (size_t i = 0; i < count; i++)
        ascending[i] = fabs(ascending[i] - s.median);
    quantile_sort(ascending, count);
    s.mad = statistics_quantile(ascending, count, 0.5);
    free(ascending);
    return s;
}
