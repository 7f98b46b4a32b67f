#include "statistics/quantile.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool any_nan(const double *values, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any |= isnan(values[i]);
    return any;
}

static void sort_few(double *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        double value = values[i];
        size_t at = i;
        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
}

void quantile_sort(double *values, size_t count)
{
    enum { FEW = 32 };
    if (count <= FEW && !any_nan(values, count))
        sort_few(values, count);
    else
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

/* Put the value of rank `rank` in its place, no larger ones before it and no smaller ones behind it (Hoare's FIND, 1961). */
static void select_rank(double *values, size_t count, size_t rank)
{
    size_t left = 0, right = count - 1;
    while (left < right) {
        double pivot = values[left + (right - left) / 2];
        size_t i = left, k = right;
        for (;;) {
            while (values[i] < pivot)
                i++;
            while (values[k] > pivot)
                k--;
            if (i >= k)
                break;
            double swapped = values[i];
            values[i++] = values[k];
            values[k--] = swapped;
        }
        if (rank <= k)
            right = k;
        else
            left = k + 1;
    }
}

double quantile_median(double *values, size_t count)
{
    enum { MANY = 256 };
    if (!count)
        return NAN;
    if (count < MANY || any_nan(values, count)) {
        quantile_sort(values, count);
        return statistics_quantile(values, count, 0.5);
    }
    size_t low = (count - 1) / 2;
    select_rank(values, count, low);
    for (size_t i = low + 2; i < count; i++) /* the next one */
        if (values[i] < values[low + 1]) {
            double swapped = values[i];
            values[i] = values[low + 1];
            values[low + 1] = swapped;
        }
    return statistics_quantile(values, count, 0.5);
}

double quantile_mad(double *values, size_t count, double centre)
{
    for (size_t i = 0; i < count; i++)
        values[i] = fabs(values[i] - centre);
    return quantile_median(values, count);
}
