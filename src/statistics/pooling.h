/* pooling.h - estimates the variance between processes from all points of a file.
 *
 * Three processes give a poor estimate of a variance: Student's factor is 4.3, and in one point of a hundred
 * they agree by chance to a tenth of their true spread. But a file has hundreds of points. For a class of
 * points of the same kind and similar duration (within a factor of two), the logarithms of the process
 * medians are decomposed as
 *
 *     y(point, process) = mu(point) + c(process) + u(point, process)
 *
 * by median polish (Tukey 1977). c is the common shift of a process. It is the same for all points of the
 * class, so its variance has only the degrees of freedom of the processes (2 for three processes), however
 * many points there are. u is the deviation of a single point. Its variance is shrunk towards that of the
 * class by empirical Bayes (Smyth, Statistical Applications in Genetics and Molecular Biology 3, 2004,
 * article 3), which adds degrees of freedom. The same applies to devices in place of processes, if several
 * devices measured the points. */
#pragma once

#include <stddef.h>

#include "statistics/levels.h"

/* Classes of duration, each a factor of two wide, from below 1 us to above 0.5 s. */
enum { POOLING_CLASSES = 21 };

/* A class with fewer points is merged with its neighbours. */
enum { POOLING_POINTS_MIN = 8 };

/* The pooled variances of a class. points == 0: none, and estimates use their own data only. */
struct pooling_class {
    size_t points;             /* points with at least two units that were used */
    double common, common_dof; /* variance of the common shift c */
    double own;                /* variance of u, without the part that samples explain */
    double prior_dof;          /* homogeneity of the points' variances: Smyth's d0 */
};

/* Plain data: copy it, compare it, no need to free. */
struct pooling {
    struct pooling_class of[LEVELS_KINDS][LEVELS_TOPS][POOLING_CLASSES];
};

/* The class of a time in seconds. */
int pooling_class_of(double seconds);

/* Pool all points of a file. `levels`: the units of the points (levels_of), with the same process and device
 * ids in all points. Points without units are skipped. */
struct pooling pooling_of(const struct levels *levels, size_t count);

/* The pooled estimate of a point; that of levels_estimate_alone if the class has no pooled variances. A
 * single process gets the variances of the class, too: the pooling may come from another file with
 * replicates, of the same kind of device. */
struct levels_estimate pooling_estimate(const struct pooling *pooling, const struct levels_cell *cells,
                                        size_t count);
