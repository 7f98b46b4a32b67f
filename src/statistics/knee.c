#include "statistics/knee.h"

#include <math.h>
#include <string.h>

#define GAIN_MIN 10.0 /* of the criterion, for one more bend */
#define PROFILE                                                                                              \
    3.84 /* twice the fall of the log-likelihood at the ends of a 95 % interval: chi-squared, 1 dof */
#define Z_95  1.96
#define TERMS (2 + KNEES_MAX)

/* The points in log-log. */
struct logs {
    double u[KNEE_POINTS_MAX], v[KNEE_POINTS_MAX];
    size_t count;
    double floor; /* the sum of squares that the intervals alone make expect */
};

static bool take_logs(const struct knee_point *point, size_t count, struct logs *logs)
{
    *logs = (struct logs){.count = count};
    for (size_t i = 0; i < count; i++) {
        if (!(point[i].x > 0 && point[i].y > 0) || (i && !(point[i].x > point[i - 1].x)))
            return false;
        logs->u[i] = log(point[i].x);
        logs->v[i] = log(point[i].y);
        double error = log(point[i].high / point[i].low) / (2 * Z_95);
        logs->floor += error > KNEE_SCATTER && isfinite(error) ? error * error : KNEE_SCATTER * KNEE_SCATTER;
    }
    return true;
}

/* Solve the normal equations in place by elimination with pivots. False when they have no one solution. */
static bool solve(double a[TERMS][TERMS + 1], int n)
{
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int r = c + 1; r < n; r++)
            if (fabs(a[r][c]) > fabs(a[pivot][c]))
                pivot = r;
        if (!(fabs(a[pivot][c]) > 1e-12))
            return false;
        for (int k = 0; k <= n; k++) {
            double swap = a[c][k];
            a[c][k] = a[pivot][k];
            a[pivot][k] = swap;
        }
        for (int r = 0; r < n; r++) {
            double factor = r == c ? 0 : a[r][c] / a[c][c];
            for (int k = c; k <= n && r != c; k++)
                a[r][k] -= factor * a[c][k];
        }
    }
    return true;
}

/* The sum of squares that is left with bends at those points; the slopes of the pieces. */
static double squares_left(const struct logs *logs, const size_t *bend, int bends, double *slope)
{
    double a[TERMS][TERMS + 1], sum = 0;
    int n = 2 + bends;
    memset(a, 0, sizeof a);
    for (size_t i = 0; i < logs->count; i++) {
        double term[TERMS] = {1, logs->u[i] - logs->u[0]};
        for (int b = 0; b < bends; b++)
            term[2 + b] = fmax(0, logs->u[i] - logs->u[bend[b]]);
        for (int r = 0; r < n; r++) {
            for (int c = 0; c < n; c++)
                a[r][c] += term[r] * term[c];
            a[r][n] += term[r] * logs->v[i];
        }
    }
    if (!solve(a, n))
        return INFINITY;
    for (size_t i = 0; i < logs->count; i++) {
        double fitted = a[0][n] / a[0][0] + a[1][n] / a[1][1] * (logs->u[i] - logs->u[0]);
        for (int b = 0; b < bends; b++)
            fitted += a[2 + b][n] / a[2 + b][2 + b] * fmax(0, logs->u[i] - logs->u[bend[b]]);
        sum += (logs->v[i] - fitted) * (logs->v[i] - fitted);
    }
    double steep = 0;
    for (int b = 0; b <= bends; b++)
        slope[b] = steep += a[1 + b][n] / a[1 + b][1 + b];
    return sum;
}

/* Twice the negative log-likelihood, but for a constant; the variance is not less than the intervals'. */
static double misfit(const struct logs *logs, double squares)
{
    return (double)logs->count * log(fmax(squares, logs->floor) / (double)logs->count);
}

/* The next choice of bends, at least two points apart and from the ends; false past the last. Start from bend[0] = 0. */
static bool next_choice(size_t count, size_t *bend, int bends)
{
    int b = bends - 1;
    if (!bend[0]) {
        for (int i = 0; i < bends; i++)
            bend[i] = 1 + 2 * (size_t)i;
        return bend[bends - 1] + 1 < count;
    }
    while (b >= 0 && bend[b] + 2 * (size_t)(bends - b) >= count)
        b--;
    if (b < 0)
        return false;
    bend[b]++;
    for (int i = b + 1; i < bends; i++)
        bend[i] = bend[i - 1] + 2;
    return true;
}

/* The best places of so many bends; returns the misfit. */
static double fit_bends(const struct logs *logs, int bends, size_t *best, double *slope)
{
    size_t bend[KNEES_MAX] = {0};
    double least = INFINITY, tried[KNEES_MAX + 1];
    while (next_choice(logs->count, bend, bends)) {
        double own = misfit(logs, squares_left(logs, bend, bends, tried));
        if (own < least) {
            least = own;
            memcpy(best, bend, sizeof bend);
            memcpy(slope, tried, sizeof tried);
        }
    }
    return least;
}

/* Places of each bend, the others free, that fit as well as the best. */
static void find_intervals(const struct logs *logs, const struct knee_point *point, double least,
                           struct knee_fit *fit)
{
    size_t bend[KNEES_MAX] = {0};
    double slope[KNEES_MAX + 1];
    while (next_choice(logs->count, bend, fit->knees)) {
        if (misfit(logs, squares_left(logs, bend, fit->knees, slope)) > least + PROFILE)
            continue;
        for (int b = 0; b < fit->knees; b++) {
            fit->knee[b].low = fmin(fit->knee[b].low, point[bend[b]].x);
            fit->knee[b].high = fmax(fit->knee[b].high, point[bend[b]].x);
        }
    }
}

bool knee_fit(const struct knee_point *point, size_t count, struct knee_fit *fit)
{
    struct logs logs;
    size_t best[KNEES_MAX], none[1] = {0};
    double slope[KNEES_MAX + 1], each = 2 * log((double)count);
    *fit = (struct knee_fit){0};
    if (count < KNEE_POINTS_MIN || count > KNEE_POINTS_MAX || !take_logs(point, count, &logs))
        return false;
    double squares = squares_left(&logs, none, 0, fit->slope);
    double straight = misfit(&logs, squares), least = straight;
    fit->scatter = sqrt(squares / (double)count);
    for (int bends = 1; bends <= KNEES_MAX && count + 2 >= KNEE_POINTS_MIN + 2 * (size_t)bends; bends++) {
        double own = fit_bends(&logs, bends, best, slope), gain = straight - own - bends * each;
        if (!(gain > fit->gain + GAIN_MIN * (bends - fit->knees)))
            continue;
        *fit = (struct knee_fit){.knees = bends, .gain = gain};
        memcpy(fit->slope, slope, sizeof slope);
        for (int b = 0; b < bends; b++)
            fit->knee[b].at = fit->knee[b].low = fit->knee[b].high = point[best[b]].x;
        least = own;
    }
    if (fit->knees)
        fit->scatter = sqrt(squares_left(&logs, best, fit->knees, slope) / (double)count);
    if (fit->knees)
        find_intervals(&logs, point, least, fit);
    return true;
}
