/* verdict.h - compares B with A, for single points with a limited false discovery rate, and for groups of points. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "statistics/levels.h"

enum verdict {
    VERDICT_UNKNOWN,   /* not measured in both */
    VERDICT_FASTER,    /* B takes less time than A by more than the threshold: significant */
    VERDICT_SLOWER,    /* B takes more */
    VERDICT_SAME,      /* a difference of more than the threshold is ruled out, with 95 % confidence */
    VERDICT_UNCERTAIN, /* neither: the interval holds the threshold */
    VERDICT_COUNT
};

/* Variances of the processes of two files: separate or equal. */
enum verdict_spread {
    VERDICT_EACH, /* equal variances are not assumed: Welch's t, 2 to 4 degrees of freedom for three processes each */
    VERDICT_ALIKE, /* same kind of device and same timing: one variance, always 4 degrees of freedom. If the
                    * true variances differ strongly, 95 % intervals cover about 90 % */
};

/* Parameters of a comparison. */
struct verdict_rule {
    double threshold;      /* the relative difference that matters: 0.01. All verdicts are about it */
    double discovery_rate; /* expected share of wrong verdicts among faster and slower, at most: 0.01 */
    enum verdict_spread spread;
};

/* The defaults for a threshold: VERDICT_EACH, a false discovery rate of 1 %. */
struct verdict_rule verdict_rule_of(double threshold);

/* B against A at one point, or for a group of points. */
struct verdict_ratio {
    double ratio, low, high; /* time of B over time of A, and its 95 % interval */
    double log_ratio, error, dof;
    double
        p; /* of the hypothesis that the difference is at most the threshold; NaN if not measured in both */
    double excluded; /* the interval rules out relative differences over this, in both directions */
    enum verdict verdict;
};

/* Whether verdict_ratio_of reads what levels_estimate_finish computes. */
bool verdict_needs_finished(const struct verdict_rule *rule, const struct levels_estimate *a,
                            const struct levels_estimate *b);

/* From two independent estimates. The verdict stays VERDICT_UNKNOWN, because verdict_decide needs all points. */
struct verdict_ratio verdict_ratio_of(const struct verdict_rule *rule, const struct levels_estimate *a,
                                      const struct levels_estimate *b);

/* Set the verdicts of all `count` points of a comparison. Faster or slower: the difference exceeds the threshold (a test of the
 * minimum effect: Murphy & Myors 1999), by the procedure of Benjamini & Hochberg (1995; valid under the positive dependence
 * of a common shift: Benjamini & Yekutieli 2001). Same: the 95 % interval lies within the threshold. */
void verdict_decide(const struct verdict_rule *rule, struct verdict_ratio *points, size_t count);

/* The power of a comparison: the smallest true difference above the threshold that would be called at `share` (0.95) of the
 * points that `member` selects (NULL: all), each tested alone at the discovery rate. NaN: none below a factor of e, or no point
 * was measured in both. */
double verdict_detectable(const struct verdict_rule *rule, const struct verdict_ratio *points,
                          const bool *member, size_t count, double share);

enum { VERDICT_REPLICATES_MAX = 100 }; /* as in a job */

/* What a point's error and degrees of freedom would be with other numbers of processes. */
struct verdict_scaling {
    double processes,
        dof;        /* variance of the ratio for one process on each side; degrees of freedom without any */
    double between; /* what other runs and units add */
};

/* Add a point's, if several processes on either side tell how they differ. */
void verdict_scaling_add(struct verdict_scaling *scaling, size_t *count, const struct levels_estimate *a,
                         const struct levels_estimate *b, const struct verdict_ratio *point);

/* The fewest processes on either side with which a true difference of `effect` is called at `share` of these points. 0: there is no
 * point. VERDICT_REPLICATES_MAX + 1: none has that power. The part of a variance that comes from processes falls with their number,
 * and each gives a degree of freedom; what other runs and units add stays. */
size_t verdict_replicates(const struct verdict_rule *rule, const struct verdict_scaling *scaling,
                          size_t count, double effect, double share);

/* What points of a file share: the shift of its processes, and that of its run and unit. How much of the latter is of a single
 * point is unknown, so all of it is shared: averaged away, 64 % of the intervals between two units hold in unit.measured. */
enum verdict_level { VERDICT_OF_PROCESSES, VERDICT_OF_RUN, VERDICT_SHARED };

/* What the points of a group sum up to, from {0} on: there may be too many for memory at once. */
struct verdict_sums {
    double log_ratio, squares; /* of the ratios */
    double own;                /* variances of both files that each point has of its own */
    /* standard errors of each file that points share; least degrees of freedom */
    double error[2][VERDICT_SHARED], dof[2][VERDICT_SHARED];
    size_t many;
};

/* Add the estimates of a point in either file. A point that is not in both is skipped. */
void verdict_add(struct verdict_sums *sums, const struct levels_estimate *a, const struct levels_estimate *b);

/* The geometric mean of the ratios of the points.
 *
 * The interval covers other points of the group and other runs. Points scatter independently (variance over points divided by
 * their number). The common shift of a file does not average out over points: the mean of its standard errors counts in full.
 * This corresponds to a cluster bootstrap with one cluster per process, but uses Student's t, because three clusters are too few
 * to resample. `verdict` follows from `rule`, with p compared with the discovery rate; always with VERDICT_EACH. */
struct verdict_ratio verdict_group(const struct verdict_rule *rule, const struct verdict_sums *sums);
