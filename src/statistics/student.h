/* student.h - Student's t for real degrees of freedom, and degrees of freedom of sums of variances. */
#pragma once

#include <stddef.h>

/* P(|T| > |t|) for `dof` > 0 degrees of freedom: the regularised incomplete beta function
 * I_{dof / (dof + t^2)}(dof / 2, 1 / 2) (DLMF 8.17). NaN when an argument is. dof may be INFINITY. */
double student_two_sided(double t, double dof);

/* The t > 0 with student_two_sided(t, dof) == p, for 0 < p < 1: to 10 digits. 0.05 gives the factor of a 95 %
 * interval: 12.71 for 1, 4.30 for 2, 1.96 for INFINITY. */
double student_critical(double p, double dof);

/* An estimate of a part of a variance, with `dof` degrees of freedom (INFINITY: exact). */
struct student_part {
    double variance, dof;
};

/* The sum of parts with very different degrees of freedom, for which Satterthwaite's (1946) sum has too many:
 * a part with 2 degrees plus a tenth of that variance with 20 degrees gets 2.4, which narrows the interval by
 * a tenth. Instead, the half-widths of the parts' intervals are added in quadrature (Zou & Donner 2008,
 * MOVER), and the degrees of freedom are those for which Student's t gives that width. Parts of variance 0 do
 * not count; with none at all, 0 and INFINITY. */
struct student_part student_sum_wide(const struct student_part *parts, size_t count);

/* P(F > f) for the F distribution with `upper` and `lower` degrees of freedom (DLMF 8.17: I_{lower / (lower +
 * upper f)}(lower / 2, upper / 2)). */
double student_f_tail(double f, double upper, double lower);

/* psi(x), the logarithmic derivative of the gamma function, psi'(x) and its inverse, x > 0 (Abramowitz &
 * Stegun 6.3 and 6.4): for moments of the logarithms of chi-squared variates. */
double student_digamma(double x);
double student_trigamma(double x);
double student_trigamma_inverse(double y);
