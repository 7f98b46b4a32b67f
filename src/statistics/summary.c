#include "statistics/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct statistics statistics_of(const double *values, size_t count)
{
    struct statistics s = {NAN, NAN, NAN, NAN, NAN, NAN, count};
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
    s.mad = quantile_mad(ascending, count, s.median);
    free(ascending);
    return s;
}
