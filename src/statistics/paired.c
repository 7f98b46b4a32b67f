#include "statistics/paired.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "statistics/quantile.h"
#include "statistics/within.h"

size_t paired_quotients(const double *a, const double *b, size_t count, double *out)
{
    size_t quotients = count / 2;
    for (size_t i = 0; i < quotients; i++)
        out[i] = sqrt(b[2 * i] / a[2 * i] * (b[2 * i + 1] / a[2 * i + 1]));
    return quotients;
}

/* The median of log(b / a) over every second couple, from `first`. */
static double median_of_couples(const double *a, const double *b, size_t count, size_t first, double *scratch)
{
    size_t couples = 0;
    for (size_t i = first; i < count; i += 2)
        scratch[couples++] = log(b[i] / a[i]);
    return couples ? quantile_median(scratch, couples) : NAN;
}

struct paired paired_of(const double *a, const double *b, size_t count, bool b_first)
{
    struct paired paired = {.log_ratio = NAN, .variance = NAN, .order = NAN, .quotients = count / 2};
    if (count < 2)
        return paired;
    double *scratch = memory_new(count, sizeof *scratch);
    paired_quotients(a, b, count, scratch);
    struct within within = within_of(scratch, paired.quotients);
    paired.log_ratio = log(within.median);
    paired.variance = within.error * within.error;
    paired.dof = within.dof;
    /* In couples 0, 2, 4 ... of A B B A b comes second. */
    double even = median_of_couples(a, b, count, 0, scratch),
           odd = median_of_couples(a, b, count, 1, scratch);
    paired.order = (b_first ? odd - even : even - odd) / 2;
    free(scratch);
    return paired;
}
