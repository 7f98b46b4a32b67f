/* summary.h - order statistics of raw samples, and an interval of the median for independent samples. */
#ifndef STATISTICS_SUMMARY_H
#define STATISTICS_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "statistics/quantile.h"

struct statistics {
    double median, mean, min, p05, p95;
    double mad;             /* median absolute deviation from the median, unscaled */
    double ci_low, ci_high; /* bootstrap 95 % confidence interval of the median */
    size_t count;
};

/* All of the above. `values` is left as it is. With no values everything is NaN. `seed` drives the
 * bootstrap's resampling, so the same samples always give the same interval. */
struct statistics statistics_of(const double *values, size_t count, uint64_t seed);

#endif
