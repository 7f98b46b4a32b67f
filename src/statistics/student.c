#include "statistics/student.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The continued fraction of the incomplete beta function (DLMF 8.17.22) by Lentz's method. Converges in some
 * 20 steps for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double value = d;
    for (int m = 1; m < 500; m++) {
        for (int odd = 0; odd < 2; odd++) {
            double term = odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                              : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
            d = 1 + term * d;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = 1 + term / c;
            c = fabs(c) < tiny ? tiny : c;
            value *= c * d;
        }
        if (fabs(c * d - 1) < 1e-15)
            break;
    }
    return value;
}

static double log_gamma(double x)
{
    int sign; /* lgamma has it in a variable that threads share */
    return lgamma_r(x, &sign);
}

/* The logarithm of gamma(a + b) / (gamma(a) gamma(b)). */
static double log_gammas(double a, double b)
{
    return log_gamma(a + b) - log_gamma(a) - log_gamma(b);
}

/* The regularised incomplete beta function I_x(a, b), given 1 - x too, which may be the smaller, and
 * log_gammas(a, b). */
static double beta_regularised(double a, double b, double gammas, double x, double rest)
{
    if (x <= 0)
        return 0;
    if (rest <= 0)
        return 1;
    double front = exp(gammas + a * log(x) + b * log(rest));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, rest) / b;
}

/* From here on the t distribution is the normal one to 7 digits, and lgamma's differences lose theirs. */
#define DOF_NORMAL 1e7

/* student_two_sided for dof > 0 and its `gammas`, which are not used above DOF_NORMAL. */
static double two_sided(double t, double dof, double gammas)
{
    if (dof > DOF_NORMAL)
        return erfc(fabs(t) / sqrt(2));
    if (isinf(t))
        return 0;
    double sum = dof + t * t;
    return beta_regularised(0.5 * dof, 0.5, gammas, dof / sum, t * t / sum);
}

static double gammas_of(double dof)
{
    return dof > DOF_NORMAL ? 0 : log_gammas(0.5 * dof, 0.5);
}

double student_two_sided(double t, double dof)
{
    return isnan(t) || !(dof > 0) ? NAN : two_sided(t, dof, gammas_of(dof));
}

/* The logarithm of the density of |T| at 0. */
static double log_peak(double dof)
{
    if (dof > DOF_NORMAL)
        return 0.5 * log(2 / acos(-1));
    return log(2) + log_gamma(0.5 * (dof + 1)) - log_gamma(0.5 * dof) - 0.5 * log(dof * acos(-1));
}

static double find_critical(double p, double dof)
{
    double low = 0, high = 2, peak = log_peak(dof), gammas = gammas_of(dof), tail;
    if (p <= 0.05 && dof < 50) /* 2 is too low: the 95 % factor of 50 degrees of freedom is 2.009 */
        high = 4;
    while ((tail = two_sided(high, dof, gammas)) > p)
        high *= 2;
    /* The tail falls like a power of t, and fast when dof is large: the logarithm is nearly
     * straight, so Newton's steps are few, and bisection guards them. */
    double t = high;
    for (int i = 0; i < 200 && high - low > 1e-11 * high; i++) {
        if (i)
            tail = two_sided(t, dof, gammas);
        if (fabs(tail / p - 1) < 1e-11)
            break;
        if (tail > p)
            low = t;
        else
            high = t;
        double fall = dof > DOF_NORMAL ? 0.5 * t * t : 0.5 * (dof + 1) * log1p(t * t / dof);
        double density = exp(peak - fall);
        double next = density > 0 ? t + tail / density * log(tail / p) : 0;
        t = next > low && next < high ? next : 0.5 * (low + high);
    }
    return t;
}

double student_critical(double p, double dof)
{
    enum { KNOWN = 256 }; /* points of a file have the same few degrees of freedom */
    static _Thread_local struct {
        double p, dof, t;
    } known[KNOWN];
    uint64_t bits;
    if (!(p > 0 && p < 1) || !(dof > 0))
        return NAN;
    memcpy(&bits, &dof, sizeof bits);
    size_t at = (size_t)((bits * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
    if (known[at].p != p || known[at].dof != dof) {
        known[at].t = find_critical(p, dof);
        known[at].p = p;
        known[at].dof = dof;
    }
    return known[at].t;
}
