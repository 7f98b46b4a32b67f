/* pooling.h - what the points of a file teach each other about the deviations between processes.
 *
 * Three processes tell a variance badly: Student's factor is 4.3, and in one point of a hundred they agree by
 * luck to a tenth of their true spread. But a file has hundreds of points. For the points of a class of
 * like kind and duration (a factor of two), the logarithms of process medians are taken apart as
 *
 *     y(point, process) = mu(point) + c(process) + u(point, process)
 *
 * by median polish (Tukey 1977). c is the process's common shift: it moves all points of the class alike, so
 * its variance has only the degrees of freedom of the processes (2 of three), however many points there are.
 * u is each point's own deviation; its variances are shrunk towards the class's by empirical Bayes (Smyth
 * 2004), which gives them back degrees of freedom. The same with devices in the place of processes, where a
 * point was measured on several. */
#ifndef STATISTICS_POOLING_H
#define STATISTICS_POOLING_H

#include <stddef.h>

#include "statistics/levels.h"

/* Durations double from class to class, from below 1 us to above 0.5 s. */
enum { POOLING_CLASSES = 21 };

/* A class with fewer points than this is joined with its neighbours. */
enum { POOLING_POINTS_MIN = 8 };

/* What one class knows of a top level's deviations. points == 0: nothing; estimates then stand alone. */
struct pooling_class {
    size_t points;             /* with two or more units, that it was learnt from */
    double common, common_dof; /* variance of the common shift c */
    double own;                /* variance of u beyond what samples explain */
    double prior_dof;          /* how alike the points' own variances are: Smyth's d0 */
};

/* Plain data: copy it, compare it, no need to free. */
struct pooling {
    struct pooling_class of[LEVELS_KINDS][LEVELS_TOPS][POOLING_CLASSES];
};

/* The class of a time in seconds. */
int pooling_class_of(double seconds);

/* Learn from all points of a file: `levels` are the points' units (levels_of); process and device ids must
 * mean the same process and device in all of them. Points with no units are passed over. */
struct pooling pooling_of(const struct levels *levels, size_t count);

/* A point's estimate with what the file knows. Falls back to levels_estimate_alone when the file knows
 * nothing of this class. A single process is given the class's deviations, too: the pooling may come from
 * another file, of the same kind of device, that has replicates. */
struct levels_estimate pooling_estimate(const struct pooling *pooling, const struct levels_cell *cells,
                                        size_t count);

#endif
