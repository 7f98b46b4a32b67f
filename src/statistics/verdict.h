/* verdict.h - compares B with A, for single points with a limited false discovery rate, and for groups of points. */
#ifndef STATISTICS_VERDICT_H
#define STATISTICS_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "statistics/levels.h"

enum verdict {
    VERDICT_UNKNOWN, /* not measured in both */
    VERDICT_FASTER,  /* B takes less time than A, by the threshold or more */
    VERDICT_SLOWER,  /* B takes more */
    VERDICT_SAME, /* no significant difference of the threshold or more; one over the margin is ruled out */
    VERDICT_UNCERTAIN, /* no significant difference, but one over the margin is not ruled out */
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
    double threshold;      /* smallest relevant relative difference: 0.01 */
    double margin;         /* "same" means less than this, with 95 % confidence: 0.05 */
    double discovery_rate; /* expected share of wrong verdicts among faster and slower, at most: 0.01 */
    enum verdict_spread spread;
};

/* The defaults for a threshold, with VERDICT_EACH: a margin of five times the threshold, a false discovery rate of 1 %.
 * Why five: with two runs of three processes that scatter by 1 %, the interval of the ratio is +-2.3 % on average, and +-4 % in
 * one of a hundred comparisons. A smaller margin would make many equal points uncertain, a larger one would promise little. */
struct verdict_rule verdict_rule_of(double threshold);

/* B against A at one point, or for a group of points. */
struct verdict_ratio {
    double ratio, low, high; /* time of B over time of A, and its 95 % interval */
    double log_ratio, error, dof;
    double p;        /* two-sided p-value of no difference; NaN if not measured in both */
    double excluded; /* the interval rules out relative differences over this, in both directions */
    enum verdict verdict;
};

/* Whether verdict_ratio_of reads what levels_estimate_finish computes. */
bool verdict_needs_finished(const struct verdict_rule *rule, const struct levels_estimate *a,
                            const struct levels_estimate *b);

/* From two independent estimates. The verdict stays VERDICT_UNKNOWN, because verdict_decide needs all points. */
struct verdict_ratio verdict_ratio_of(const struct verdict_rule *rule, const struct levels_estimate *a,
                                      const struct levels_estimate *b);

/* Set the verdicts of all `count` points of a comparison. Faster or slower: significant by the procedure of Benjamini &
 * Hochberg (1995; valid under the positive dependence of a common shift: Benjamini & Yekutieli 2001), and at least by the
 * threshold. Same: neither, and the 95 % interval lies within the margin. */
void verdict_decide(const struct verdict_rule *rule, struct verdict_ratio *points, size_t count);

/* The geometric mean of the ratios of the points that `member` selects (NULL: all; points that are not in both files are skipped).
 * `a` and `b`: the estimates of the points in either file.
 *
 * The interval covers other points of the group and other runs. Points scatter independently (variance over points divided by
 * their number). The common shift of a file does not average out over points: the mean of its standard errors counts in full.
 * This corresponds to a cluster bootstrap with one cluster per process, but uses Student's t, because three clusters are too few
 * to resample. `verdict` follows from `rule`, with p compared with the discovery rate; always with VERDICT_EACH. */
struct verdict_ratio verdict_group(const struct verdict_rule *rule, const struct levels_estimate *a,
                                   const struct levels_estimate *b, const bool *member, size_t count);

#endif
