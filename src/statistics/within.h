/* within.h - how well the samples of one process, taken one after the other, fix that process's median.
 *
 * Samples are not independent: a GPU's clock moves slowly, and 19 % of the points of an H200 had a lag-1
 * autocorrelation over 0.3. A median's interval by order statistics (David & Nagaraja 2003, section 7.1)
 * counts samples below and above; here that count's variance n / 4 is multiplied by the inflation tau = 1 + 2
 * (rho_1 + rho_2 + ...) of the samples' sides of the median. */
#ifndef STATISTICS_WITHIN_H
#define STATISTICS_WITHIN_H

#include <stddef.h>

struct within {
    double median;     /* of the times, in their unit */
    double half_width; /* of the 95 % interval of this process's median, over the median */
    double error;      /* the standard error, over the median: half_width over Student's factor for `dof` */
    double dof;        /* effective samples less one, at least 1 */
    double inflation;  /* tau: n / tau independent samples would say as much; at least 1 */
    double
        spread; /* standard deviation of a sample over the median, by the MAD, which outliers do not move */
};

/* `times`: `count` times > 0 in the order in which they were taken; left as they are. With none, everything
 * is NaN; with one, `half_width`, `error` and `dof` are. Some 10 us for 100 times, 200 us for 1000. */
struct within within_of(const double *times, size_t count);

/* The same, but only the half-width: what a stopping rule asks after every few samples. INFINITY of fewer
 * than two times: one sample has an interval of no width, which says nothing. */
double within_half_width(const double *times, size_t count);

#endif
