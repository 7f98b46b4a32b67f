/* statistics.h - order statistics of raw samples, and the interval that decides when to stop. */
#ifndef BASE_STATISTICS_H
#define BASE_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

struct statistics {
    double median, mean, min, p05, p95;
    double mad;             /* median absolute deviation from the median, unscaled */
    double ci_low, ci_high; /* bootstrap 95 % confidence interval of the median */
    size_t count;
};

/* Quantile q of `count` > 0 ascending values, linear between neighbours (Hyndman & Fan type 7). */
double statistics_quantile(const double *ascending, size_t count, double q);

/* All of the above. `values` is left as it is. With no values everything is NaN. `seed` drives the
 * bootstrap's resampling, so the same samples always give the same interval. */
struct statistics statistics_of(const double *values, size_t count, uint64_t seed);

#endif
