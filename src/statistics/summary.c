#include "statistics/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct statistics statistics_of(const double *values, size_t count)
{
    struct statistics s = {NAN, NAN, NAN};
    if (!count)
        return s;
    double *ascending = memory_new(count, sizeof *ascending);
    memcpy(ascending, values, count * sizeof *ascending);
    quantile_sort(ascending, count);
    s.median = statistics_quantile(ascending, count, 0.5);
    s.p05 = statistics_quantile(ascending, count, 0.05);
    s.p95 = statistics_quantile(ascending, count, 0.95);
    free(ascending);
    return s;
}
