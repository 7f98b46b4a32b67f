/* verdict.h - is B slower than A? Point by point, with few false alarms over all points, and for groups. */
#ifndef STATISTICS_VERDICT_H
#define STATISTICS_VERDICT_H

#include <stddef.h>

#include "statistics/levels.h"

enum verdict {
    VERDICT_UNKNOWN,   /* not measured in both */
    VERDICT_FASTER,    /* B takes less time than A, by the threshold or more */
    VERDICT_SLOWER,    /* B takes more */
    VERDICT_SAME,      /* no difference of the threshold is shown, and one beyond the margin is excluded */
    VERDICT_UNCERTAIN, /* none is shown, but there may be one beyond the margin */
    VERDICT_COUNT
};

/* How far the processes of two files deviate, each in its own way or alike. */
enum verdict_spread {
    VERDICT_EACH,  /* nothing is assumed: Welch's t, 2 to 4 degrees of freedom for three processes each */
    VERDICT_ALIKE, /* the same kind of device timed in the same way: one variance, always 4. When one file's
                    * processes in truth scatter much more, 95 % intervals hold some 90 % */
};

/* What counts. */
struct verdict_rule {
    double threshold;      /* smallest difference that matters, relative: 0.01 */
    double margin;         /* "same" promises, with 95 % confidence, less than this: 0.05 */
    double discovery_rate; /* of all verdicts faster and slower, at most this share is wrong: 0.01 */
    enum verdict_spread spread;
};

/* The defaults for a threshold, with VERDICT_EACH: a margin of five times it, a false discovery rate of 1 %.
 * Why five: two runs of three processes that deviate by 1 % fix their ratio to +-2.3 % on average, in one
 * comparison of a hundred to +-4 %; a smaller margin would call much of what is the same uncertain, and a
 * larger one would promise little. */
struct verdict_rule verdict_rule_of(double threshold);

/* B against A at one point, or for a group of points. */
struct verdict_ratio {
    double ratio, low, high; /* time of B over time of A, and its 95 % interval */
    double log_ratio, error, dof;
    double p;        /* two-sided, of no difference; NaN when not measured in both */
    double excluded; /* relative differences beyond this are excluded by the interval, to either side */
    enum verdict verdict;
};

/* From two independent estimates. The verdict is still VERDICT_UNKNOWN: verdict_decide needs all points. */
struct verdict_ratio verdict_ratio_of(const struct verdict_rule *rule, const struct levels_estimate *a,
                                      const struct levels_estimate *b);

/* Set the verdicts of all `count` points of a comparison. Faster or slower: different from equal by Benjamini
 * & Hochberg's procedure (1995; valid under the positive dependence of a common shift: Benjamini & Yekutieli
 * 2001), and by the threshold or more. Same: neither, and the 95 % interval lies within the margin. */
void verdict_decide(const struct verdict_rule *rule, struct verdict_ratio *points, size_t count);

/* The geometric mean of the ratios of a group of points that `member` selects (NULL: all; points that
 * are not in both are passed over). `a` and `b` are the points' estimates, all of one file each.
 *
 * The interval holds for other points of the kind and for other runs: points scatter independently (variance
 * over points / number), but the files' common shifts move all of them alike, so these do not average out:
 * the mean of their standard errors counts in full. One cluster a process, as in a cluster bootstrap, but
 * with Student's t, because three clusters are too few to resample. `verdict` is decided by `rule` with p at
 * the discovery rate; always as for VERDICT_EACH. */
struct verdict_ratio verdict_group(const struct verdict_rule *rule, const struct levels_estimate *a,
                                   const struct levels_estimate *b, const bool *member, size_t count);

#endif
