/* summary.h - quantiles and other order statistics of raw samples; statistics/within.h has the interval of
 * the median. */
#pragma once

#include <stddef.h>

struct statistics {
    double median, p05, p95;
};

/* Does not change `values`. Without values everything is NaN. */
struct statistics statistics_of(const double *values, size_t count);

/* Quantile q of `count` > 0 ascending values, with linear interpolation (Hyndman & Fan type 7). */
double statistics_quantile(const double *ascending, size_t count, double q);

void quantile_sort(double *values, size_t count); /* ascending; must not contain NaN */
