/* summary.h - quantiles and other order statistics of raw samples; statistics/within.h has the interval of
 * the median. */
#pragma once

#include <stddef.h>

struct statistics {
    double median, mean, min, p05, p95;
    double mad; /* median absolute deviation from the median, unscaled */
    size_t count;
};

/* Does not change `values`. Without values everything is NaN. */
struct statistics statistics_of(const double *values, size_t count);

/* This times the median absolute deviation estimates the standard deviation of normal values. */
#define QUANTILE_MAD_TO_SD 1.4826

/* Quantile q of `count` > 0 ascending values, with linear interpolation (Hyndman & Fan type 7). */
double statistics_quantile(const double *ascending, size_t count, double q);

void quantile_sort(double *values, size_t count); /* ascending; must not contain NaN */

/* The median; NaN if count is 0. Reorders the values. */
double quantile_median(double *values, size_t count);

/* The unscaled median absolute deviation from `centre`; NaN if count is 0. Overwrites the values. */
double quantile_mad(double *values, size_t count, double centre);
