/* summary.h - order statistics of raw samples. How sure the median is, statistics/within.h says. */
#ifndef STATISTICS_SUMMARY_H
#define STATISTICS_SUMMARY_H

#include <stddef.h>

#include "statistics/quantile.h"

struct statistics {
    double median, mean, min, p05, p95;
    double mad; /* median absolute deviation from the median, unscaled */
    size_t count;
};

/* All of the above. `values` is left as it is. With no values everything is NaN. */
struct statistics statistics_of(const double *values, size_t count);

#endif
