#include "statistics/verdict.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "statistics/student.h"

struct verdict_rule verdict_rule_of(double threshold)
{
    return (struct verdict_rule){.threshold = threshold, .margin = 5 * threshold, .discovery_rate = 0.01};
}

/* Fill everything but the verdict from the parts of the variance. */
static struct verdict_ratio ratio_of(double log_ratio, const struct student_part *parts, size_t count)
{
    struct verdict_ratio r = {.ratio = exp(log_ratio), .log_ratio = log_ratio};
    struct student_part sum = student_sum(parts, count);
    r.error = sqrt(sum.variance);
    r.dof = sum.dof;
    r.p = sum.variance > 0 ? student_two_sided(log_ratio / r.error, r.dof) : NAN;
    double half = student_critical(0.05, r.dof) * r.error;
    r.low = exp(log_ratio - half);
    r.high = exp(log_ratio + half);
    r.excluded = expm1(fabs(log_ratio) + half);
    return r;
}

struct verdict_ratio verdict_ratio_of(const struct levels_estimate *a, const struct levels_estimate *b)
{
    if (a->basis == LEVELS_NONE || b->basis == LEVELS_NONE)
        return (struct verdict_ratio){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, VERDICT_UNKNOWN};
    const struct student_part parts[] = {{a->error * a->error, a->dof}, {b->error * b->error, b->dof}};
    return ratio_of(b->log_seconds - a->log_seconds, parts, 2);
}

static enum verdict verdict_from(const struct verdict_rule *rule, const struct verdict_ratio *r,
                                 double p_most)
{
    if (isnan(r->p))
        return VERDICT_UNKNOWN;
    if (r->p <= p_most && fabs(r->log_ratio) >= log1p(rule->threshold))
        return r->log_ratio < 0 ? VERDICT_FASTER : VERDICT_SLOWER;
    return r->excluded <= rule->margin ? VERDICT_SAME : VERDICT_UNCERTAIN;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The largest p that is a discovery: the k-th smallest of m, for the largest k with p <= k rate / m. */
static double largest_discovery(const struct verdict_ratio *points, size_t count, double rate)
{
    double *p = memory_new(count, sizeof *p), largest = -1;
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(points[i].p))
            p[known++] = points[i].p;
    qsort(p, known, sizeof *p, compare_doubles);
    for (size_t k = 0; k < known; k++)
        if (p[k] <= rate * (double)(k + 1) / (double)known)
            largest = p[k];
    free(p);
    return largest;
}

void verdict_decide(const struct verdict_rule *rule, struct verdict_ratio *points, size_t count)
{
    double p_most = largest_discovery(points, count, rule->discovery_rate);
    for (size_t i = 0; i < count; i++)
        points[i].verdict = verdict_from(rule, &points[i], p_most);
}

struct verdict_ratio verdict_group(const struct verdict_rule *rule, const struct levels_estimate *a,
                                   const struct levels_estimate *b, const bool *member, size_t count)
{
    double sum = 0, squares = 0, own = 0, error[2] = {0}, dof[2] = {INFINITY, INFINITY};
    size_t many = 0;
    for (size_t i = 0; i < count; i++) {
        if ((member && !member[i]) || a[i].basis == LEVELS_NONE || b[i].basis == LEVELS_NONE)
            continue;
        const struct levels_estimate *file[] = {&a[i], &b[i]};
        double log_ratio = b[i].log_seconds - a[i].log_seconds;
        sum += log_ratio;
        squares += log_ratio * log_ratio;
        many++;
        for (int f = 0; f < 2; f++) {
            /* A point that stands alone has its shift among its own deviations. */
            bool apart = file[f]->basis == LEVELS_POOLED;
            double shared = apart ? file[f]->common : file[f]->own;
            error[f] += sqrt(shared);
            own += apart ? file[f]->own : 0;
            if (shared > 0)
                dof[f] = fmin(dof[f], apart ? file[f]->common_dof : file[f]->own_dof);
        }
    }
    if (!many)
        return (struct verdict_ratio){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, VERDICT_UNKNOWN};
    double n = (double)many, mean = sum / n;
    double scatter = many > 1 ? fmax(0, squares - sum * mean) / (n - 1) : 0;
    const struct student_part parts[] = {{error[0] * error[0] / (n * n), dof[0]},
                                         {error[1] * error[1] / (n * n), dof[1]},
                                         {fmax(scatter, own / n) / n, many > 1 ? n - 1 : INFINITY}};
    struct verdict_ratio group = ratio_of(mean, parts, 3);
    group.verdict = verdict_from(rule, &group, rule->discovery_rate);
    return group;
}
