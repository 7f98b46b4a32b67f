/* paired.h - the ratio of two versions whose samples were taken alternately, in quadruples A B B A or B A A B (statistics/turns.h).
 *
 * Sample i of b was taken beside sample i of a. The quotient of a quadruple is sqrt(b1 b2 / (a1 a2)): the process, the place of the
 * buffers, the clock and its drift, and the effect of coming first are in both and cancel. A process contributes the median of its
 * quotients. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What one process tells. */
struct paired {
    double log_ratio;     /* of the times of b over those of a; NaN without a whole quadruple */
    double variance, dof; /* of log_ratio, from the quotients of this process; NaN: one quotient */
    double order;         /* logarithm of the time of a sample that comes second over one that comes first */
    size_t quotients;
};

/* The quotients of whole quadruples: `count` / 2 of them. */
size_t paired_quotients(const double *a, const double *b, size_t count, double *out);

/* `a`, `b`: `count` times > 0 of each version, in the order of sampling. `b_first`: quadruples were B A A B. */
struct paired paired_of(const double *a, const double *b, size_t count, bool b_first);
