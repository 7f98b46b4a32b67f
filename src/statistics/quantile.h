/* quantile.h - order statistics. */
#pragma once

#include <stddef.h>

/* This times the median absolute deviation estimates the standard deviation of normal values. */
#define QUANTILE_MAD_TO_SD 1.4826

/* Quantile q of `count` > 0 ascending values, with linear interpolation (Hyndman & Fan type 7). */
double statistics_quantile(const double *ascending, size_t count, double q);

void quantile_sort(double *values, size_t count); /* ascending; must not contain NaN */

/* The median; NaN if count is 0. Reorders the values. */
double quantile_median(double *values, size_t count);

/* The unscaled median absolute deviation from `centre`; NaN if count is 0. Overwrites the values. */
double quantile_mad(double *values, size_t count, double centre);
