/* summary.h - order statistics of raw samples; statistics/within.h has the interval of the median. */
#pragma once

#include <stddef.h>

#include "statistics/quantile.h"

struct statistics {
    double median, mean, min, p05, p95;
    double mad; /* median absolute deviation from the median, unscaled */
    size_t count;
};

/* Does not change `values`. Without values everything is NaN. */
struct statistics statistics_of(const double *values, size_t count);
