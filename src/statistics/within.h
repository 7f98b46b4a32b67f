/* within.h - the interval of the median of one process, from its samples in order.
 *
 * Samples are not independent: a GPU's clock changes slowly, and 19 % of the points of an H200 had a lag-1
 * autocorrelation over 0.3. The interval of a median by order statistics (David & Nagaraja 2003, section 7.1)
 * counts samples below and above. Here the variance n / 4 of that count is multiplied by the inflation tau =
 * 1 + 2 (rho_1 + rho_2 + ...), where rho are the autocorrelations of the samples' sides of the median. */
#pragma once

#include <stddef.h>

struct within {
    double median;     /* of the times, in their unit */
    double half_width; /* of the 95 % interval of the median, relative to the median */
    double inflation;  /* tau: the samples are worth n / tau independent ones; at least 1 */
};

/* `times`: `count` times > 0 in the order of sampling; not changed. Without times everything is NaN; with one
 * `half_width` is. Takes about 10 us for 100 times, 200 us for 1000. */
struct within within_of(const double *times, size_t count);

/* Only the half-width, for the stopping rule. INFINITY with fewer than two times: a single sample has no
 * interval. */
double within_half_width(const double *times, size_t count);
