#include "statistics/verdict.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "statistics/quantile.h"
#include "statistics/student.h"

struct verdict_rule verdict_rule_of(double threshold)
{
    return (struct verdict_rule){.threshold = threshold, .discovery_rate = 0.01};
}

/* P(T > t). */
static double beyond(double t, double dof)
{
    double both = student_two_sided(t, dof);
    return t >= 0 ? both / 2 : 1 - both / 2;
}

/* The largest p-value of all differences up to the threshold: that of the threshold itself. */
static double p_of(double log_ratio, double error, double dof, double threshold)
{
    double limit = log1p(threshold), size = fabs(log_ratio);
    return beyond((size - limit) / error, dof) + beyond((size + limit) / error, dof);
}

/* Everything but the verdict, from the variance of the logarithm. */
static struct verdict_ratio ratio_of(const struct verdict_rule *rule, double log_ratio,
                                     struct student_part sum)
{
    struct verdict_ratio r = {.ratio = exp(log_ratio), .log_ratio = log_ratio};
    r.error = sqrt(sum.variance);
    r.dof = sum.dof;
    r.p = sum.variance > 0 ? p_of(log_ratio, r.error, r.dof, rule->threshold) : NAN;
    double half = student_critical(0.05, r.dof) * r.error;
    r.low = exp(log_ratio - half);
    r.high = exp(log_ratio + half);
    r.excluded = expm1(fabs(log_ratio) + half);
    return r;
}

/* A file's part of a variance that its processes share among points. A point that stands alone has its shift
 * among its own deviations. */
static struct student_part shared_part(const struct levels_estimate *e)
{
    return e->basis == LEVELS_POOLED ? (struct student_part){e->common, e->common_dof}
                                     : (struct student_part){e->own, e->own_dof};
}

/* One variance for the units of both files, weighted by degrees of freedom; what it makes of the ratio. */
static struct student_part alike_part(struct student_part a, size_t units_a, struct student_part b,
                                      size_t units_b)
{
    double na = (double)units_a, nb = (double)units_b, dof = a.dof + b.dof;
    double variance = (a.variance * na * a.dof + b.variance * nb * b.dof) / dof;
    return (struct student_part){variance * (1 / na + 1 / nb), dof};
}

/* The same for what the points have of their own. The class's prior is one and the same for both files and counts once; the sums of
 * squares of both files' units are added to it (Smyth 2004, with the residual degrees of freedom of both). */
static struct student_part alike_own(const struct levels_estimate *a, const struct levels_estimate *b)
{
    const struct levels_estimate *file[] = {a, b};
    double squares = 0, dof = 0, parts = 0;
    for (int f = 0; f < 2; f++) {
        double units = (double)file[f]->units, prior_dof = file[f]->prior_dof;
        squares += file[f]->own * units * file[f]->own_dof - 0.5 * prior_dof * file[f]->prior;
        dof += file[f]->own_dof - 0.5 * prior_dof;
        parts += 1 / units;
    }
    return (struct student_part){squares / dof * parts, dof};
}

static bool can_be_alike(const struct levels_estimate *a, const struct levels_estimate *b)
{
    return a->basis == b->basis && a->top == b->top && a->kind == b->kind &&
           (a->basis == LEVELS_POOLED || a->basis == LEVELS_ALONE) && isfinite(shared_part(a).dof) &&
           isfinite(shared_part(b).dof);
}

bool verdict_needs_finished(const struct verdict_rule *rule, const struct levels_estimate *a,
                            const struct levels_estimate *b)
{
    bool measured = a->basis != LEVELS_NONE && b->basis != LEVELS_NONE;
    return measured && (rule->spread == VERDICT_EACH || !can_be_alike(a, b));
}

struct verdict_ratio verdict_ratio_of(const struct verdict_rule *rule, const struct levels_estimate *a,
                                      const struct levels_estimate *b)
{
    if (a->basis == LEVELS_NONE || b->basis == LEVELS_NONE)
        return (struct verdict_ratio){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, VERDICT_UNKNOWN};
    double log_ratio = b->log_seconds - a->log_seconds;
    if (verdict_needs_finished(rule, a, b)) {
        const struct student_part files[] = {{a->error * a->error, a->dof}, {b->error * b->error, b->dof}};
        return ratio_of(rule, log_ratio, student_sum(files, 2));
    }
    struct student_part parts[] = {alike_part(shared_part(a), a->units, shared_part(b), b->units), {0, 1}};
    const struct student_part own[] = {a->basis == LEVELS_POOLED ? alike_own(a, b)
                                                                 : (struct student_part){0, 1},
                                       {a->between, a->between_dof},
                                       {b->between, b->between_dof}};
    parts[1] = student_sum(own, 3);
    return ratio_of(rule, log_ratio, student_sum_wide(parts, 2));
}

static enum verdict verdict_from(const struct verdict_rule *rule, const struct verdict_ratio *r, double p_max)
{
    if (isnan(r->p))
        return VERDICT_UNKNOWN;
    if (r->p <= p_max)
        return r->log_ratio < 0 ? VERDICT_FASTER : VERDICT_SLOWER;
    return r->excluded <= rule->threshold ? VERDICT_SAME : VERDICT_UNCERTAIN;
}

/* The largest p that is a discovery: the k-th smallest of m, for the largest k with p <= k rate / m. */
static double largest_discovery(const struct verdict_ratio *points, size_t count, double rate)
{
    double *p = memory_new(count, sizeof *p), largest = -1;
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(points[i].p))
            p[known++] = points[i].p;
    quantile_sort(p, known);
    for (size_t k = 0; k < known; k++)
        if (p[k] <= rate * (double)(k + 1) / (double)known)
            largest = p[k];
    free(p);
    return largest;
}

void verdict_decide(const struct verdict_rule *rule, struct verdict_ratio *points, size_t count)
{
    double p_max = largest_discovery(points, count, rule->discovery_rate);
    for (size_t i = 0; i < count; i++)
        points[i].verdict = verdict_from(rule, &points[i], p_max);
}

/* The probability that a true difference of `effect` (of logarithms) is called at a point. */
static double power_of(const struct verdict_rule *rule, double error, double dof, double effect)
{
    double critical = student_critical(2 * rule->discovery_rate, dof);
    return beyond(critical - (effect - log1p(rule->threshold)) / error, dof);
}

/* The mean over the points; of many points, over some that are evenly spaced. */
static double mean_power(const struct verdict_rule *rule, const struct verdict_ratio *points,
                         const bool *member, size_t count, double effect)
{
    enum { POINTS = 10000 };
    double sum = 0, known = 0;
    size_t members = 0, step;
    for (size_t i = 0; i < count; i++)
        members += !member || member[i];
    step = members / POINTS + 1;
    members = 0;
    for (size_t i = 0; i < count; i++) {
        if ((member && !member[i]) || members++ % step || isnan(points[i].p))
            continue;
        sum += power_of(rule, points[i].error, points[i].dof, effect);
        known++;
    }
    return known > 0 ? sum / known : NAN;
}

double verdict_detectable(const struct verdict_rule *rule, const struct verdict_ratio *points,
                          const bool *member, size_t count, double share)
{
    double low = log1p(rule->threshold), high = 1;
    if (!(mean_power(rule, points, member, count, high) >= share))
        return NAN;
    while (high - low > 1e-5) {
        double middle = (low + high) / 2;
        if (mean_power(rule, points, member, count, middle) >= share)
            high = middle;
        else
            low = middle;
    }
    return expm1(high);
}

/* ---- Replicates for a power ---- */

/* Whether the number of processes makes the interval of a point. */
static bool can_scale(const struct levels_estimate *a, const struct levels_estimate *b,
                      const struct verdict_ratio *ratio)
{
    return !isnan(ratio->p) && a->top == LEVELS_PROCESS && b->top == LEVELS_PROCESS && a->units > 1 &&
           b->units > 1;
}

static struct verdict_scaling scaling_of(const struct levels_estimate *a, const struct levels_estimate *b,
                                         const struct verdict_ratio *ratio)
{
    double na = (double)a->units, nb = (double)b->units, between = a->between + b->between;
    return (struct verdict_scaling){.processes = fmax(0, ratio->error * ratio->error - between) * 2 /
                                                 (1 / na + 1 / nb),
                                    .dof = ratio->dof - na - nb,
                                    .between = between};
}

void verdict_scaling_add(struct verdict_scaling *scaling, size_t *count, const struct levels_estimate *a,
                         const struct levels_estimate *b, const struct verdict_ratio *point)
{
    if (can_scale(a, b, point))
        scaling[(*count)++] = scaling_of(a, b, point);
}

size_t verdict_replicates(const struct verdict_rule *rule, const struct verdict_scaling *scaling,
                          size_t count, double effect, double share)
{
    size_t low = 2, high = VERDICT_REPLICATES_MAX + 1;
    while (count && low < high) { /* the least number from 2 on with the power */
        size_t middle = low + (high - low) / 2;
        double n = (double)middle, sum = 0;
        for (size_t i = 0; i < count; i++)
            sum += power_of(rule, sqrt(scaling[i].processes / n + scaling[i].between),
                            fmax(1, scaling[i].dof + 2 * n), log1p(effect));
        if (sum >= share * (double)count)
            high = middle;
        else
            low = middle + 1;
    }
    return count ? low : 0;
}

/* ---- Groups ---- */

void verdict_add(struct verdict_sums *sums, const struct levels_estimate *a, const struct levels_estimate *b)
{
    if (a->basis == LEVELS_NONE || b->basis == LEVELS_NONE)
        return;
    const struct levels_estimate *file[] = {a, b};
    double log_ratio = b->log_seconds - a->log_seconds;
    sums->log_ratio += log_ratio;
    sums->squares += log_ratio * log_ratio;
    for (int f = 0; f < 2; f++) {
        const struct student_part shared[VERDICT_SHARED] = {
            [VERDICT_OF_PROCESSES] = shared_part(file[f]),
            [VERDICT_OF_RUN] = {file[f]->between, file[f]->between_dof}};
        for (int s = 0; s < VERDICT_SHARED; s++) {
            if (!sums->many)
                sums->dof[f][s] = INFINITY;
            sums->error[f][s] += sqrt(shared[s].variance);
            if (shared[s].variance > 0)
                sums->dof[f][s] = fmin(sums->dof[f][s], shared[s].dof);
        }
        sums->own += file[f]->basis == LEVELS_POOLED ? file[f]->own : 0;
    }
    sums->many++;
}

struct verdict_ratio verdict_group(const struct verdict_rule *rule, const struct verdict_sums *sums)
{
    if (!sums->many)
        return (struct verdict_ratio){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, VERDICT_UNKNOWN};
    double n = (double)sums->many, mean = sums->log_ratio / n;
    double scatter = sums->many > 1 ? fmax(0, sums->squares - sums->log_ratio * mean) / (n - 1) : 0;
    struct student_part parts[2 * VERDICT_SHARED + 1] = {
        {fmax(scatter, sums->own / n) / n, sums->many > 1 ? n - 1 : INFINITY}};
    for (int i = 0; i < 2 * VERDICT_SHARED; i++) {
        double error = sums->error[i / VERDICT_SHARED][i % VERDICT_SHARED] / n;
        parts[i + 1] =
            (struct student_part){error * error, sums->dof[i / VERDICT_SHARED][i % VERDICT_SHARED]};
    }
    struct verdict_ratio group = ratio_of(rule, mean, student_sum(parts, 2 * VERDICT_SHARED + 1));
    group.verdict = verdict_from(rule, &group, rule->discovery_rate);
    return group;
}
