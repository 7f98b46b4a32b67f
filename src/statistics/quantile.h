/* quantile.h - order statistics. */
#ifndef STATISTICS_QUANTILE_H
#define STATISTICS_QUANTILE_H

#include <stddef.h>

/* What 1.4826 times the median absolute deviation of normal values estimates: their standard deviation. */
#define QUANTILE_MAD_TO_SD 1.4826

/* Quantile q of `count` > 0 ascending values, linear between neighbours (Hyndman & Fan type 7). */
double statistics_quantile(const double *ascending, size_t count, double q);

void quantile_sort(double *values, size_t count); /* ascending; no NaN among them */

/* The median of `count` values; NaN of none. Leaves the values sorted. */
double quantile_median(double *values, size_t count);

/* The median absolute deviation from `centre`, unscaled; NaN of none. Overwrites the values. */
double quantile_mad(double *values, size_t count, double centre);

#endif
