#include "statistics/within.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "statistics/summary.h"
#include "statistics/student.h"

/* One sample, for sorting: its time, and when it was taken. */
struct sample {
    double time;
    size_t order;
};

static int compare_samples(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

/* rank[i]: where the i-th sample stands among all, less the middle; equal times share their mean rank. Ranks,
 * not times: one outlier of ten times the median would hide every correlation. */
static void centred_ranks(const struct sample *sorted, size_t count, double *rank)
{
    for (size_t from = 0, to; from < count; from = to) {
        to = from + 1; /* not a number is not even equal to itself */
        while (to < count && sorted[to].time == sorted[from].time)
            to++;
        for (size_t i = from; i < to; i++)
            rank[sorted[i].order] = 0.5 * (double)(from + to) - 0.5 * (double)count;
    }
}

static double lagged(const double *x, size_t count, size_t lag)
{
    double sum = 0;
    for (size_t i = 0; i + lag < count; i++)
        sum += x[i] * x[i + lag];
    return sum;
}

/* 1 + 2 sum rho_k of the series x about 0, summed while neighbouring pairs of lags are positive together
 * (Geyer 1992, initial positive sequence). */
static double sequence_inflation(const double *x, size_t count)
{
    double power = lagged(x, count, 0), sum = 0;
    if (!(power > 0))
        return 1;
    for (size_t lag = 1; lag + 1 < count; lag += 2) {
        double pair = lagged(x, count, lag) + lagged(x, count, lag + 1);
        if (pair <= 0)
            break;
        sum += pair;
    }
    return 1 + 2 * sum / power;
}

/* The inflation if the series were a first-order autoregression. Its lag-1 autocorrelation is estimated too
 * low by (1 + 4 rho) / n (Kendall 1954), which matters with the ten samples that a quick point has. */
static double first_order_inflation(const double *x, size_t count)
{
    double power = lagged(x, count, 0);
    if (!(power > 0))
        return 1;
    double rho = lagged(x, count, 1) / power;
    rho += (1 + 4 * rho) / (double)count;
    const double most = 1 - 1 / (double)count; /* a longer memory than the series cannot be seen in it */
    rho = rho > most ? most : rho;
    return (1 + rho) / (1 - rho);
}

static double clamp(double value, double low, double high)
{
    if (value < low)
        return low;
    return value > high ? high : value;
}

static double inflation_of(const struct sample *sorted, size_t count, double *scratch)
{
    centred_ranks(sorted, count, scratch);
    double first = first_order_inflation(scratch, count), sequence = sequence_inflation(scratch, count);
    return clamp(first > sequence ? first : sequence, 1, (double)count);
}

/* Half the distance between the order statistics `reach` ranks below and above the middle. Where that is
 * beyond the ends, the range is stretched in proportion: so few samples cannot hold an interval. */
static double half_distance(const double *ascending, size_t count, double reach)
{
    double last = (double)(count - 1), middle = 0.5 * last, stretch = reach > middle ? reach / middle : 1;
    double q = clamp(reach / last, 0, 0.5);
    return 0.5 * stretch *
           (statistics_quantile(ascending, count, 0.5 + q) - statistics_quantile(ascending, count, 0.5 - q));
}

struct within within_of(const double *times, size_t count)
{
    struct within w = {NAN, NAN, NAN};
    if (!count)
        return w;
    struct sample *sorted = memory_new(count, sizeof *sorted);
    double *scratch = memory_new(count, sizeof *scratch);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct sample){times[i], i};
    qsort(sorted, count, sizeof *sorted, compare_samples);
    w.inflation = inflation_of(sorted, count, scratch);
    for (size_t i = 0; i < count; i++)
        scratch[i] = sorted[i].time;
    w.median = statistics_quantile(scratch, count, 0.5);
    if (count > 1) {
        double effective = (double)count / w.inflation;
        double factor = student_critical(0.05, effective > 2 ? effective - 1 : 1);
        w.half_width =
            half_distance(scratch, count, factor * 0.5 * sqrt((double)count * w.inflation)) / w.median;
    }
    free(scratch);
    free(sorted);
    return w;
}

double within_half_width(const double *times, size_t count)
{
    return count < 2 ? INFINITY : within_of(times, count).half_width;
}
