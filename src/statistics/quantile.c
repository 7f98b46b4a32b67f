#include "statistics/summary.h"

#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void quantile_sort(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
}

double statistics_quantile(const double *ascending, size_t count, double q)
{
    double at = q * (double)(count - 1);
    size_t low = (size_t)at;
    if (low + 1 >= count)
        return ascending[count - 1];
    return ascending[low] + (at - (double)low) * (ascending[low + 1] - ascending[low]);
}
