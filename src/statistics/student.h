/* student.h - Student's t for real degrees of freedom. */
#pragma once

/* P(|T| > |t|) for `dof` > 0 degrees of freedom: the regularised incomplete beta function
 * I_{dof / (dof + t^2)}(dof / 2, 1 / 2) (DLMF 8.17). NaN when an argument is. dof may be INFINITY. */
double student_two_sided(double t, double dof);

/* The t > 0 with student_two_sided(t, dof) == p, for 0 < p < 1: to 10 digits. 0.05 gives the factor of a 95 %
 * interval: 12.71 for 1, 4.30 for 2, 1.96 for INFINITY. */
double student_critical(double p, double dof);
