#include "statistics/between.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "statistics/student.h"

static bool is_complete(const struct between_run *run, size_t runs, size_t point, double from, double to)
{
    double sum = 0;
    for (size_t r = 0; r < runs; r++) {
        if (run[r].point[point].basis == LEVELS_NONE)
            return false;
        sum += run[r].point[point].log_seconds;
    }
    double seconds = exp(sum / (double)runs);
    return seconds >= from && seconds < to;
}

/* Whether run r is the first of its unit. */
static bool is_first(const struct between_run *run, size_t r)
{
    for (size_t before = 0; before < r; before++)
        if (run[before].unit == run[r].unit)
            return false;
    return true;
}

/* Mean of the runs of r's unit at a point; how many they are, and their mean squared error. */
static double mean_of_unit(const struct between_run *run, size_t runs, size_t r, size_t point, double *count,
                           double *error)
{
    double sum = 0;
    *count = *error = 0;
    for (size_t other = 0; other < runs; other++) {
        if (run[other].unit != run[r].unit)
            continue;
        sum += run[other].point[point].log_seconds;
        *error += pow(run[other].point[point].error, 2);
        ++*count;
    }
    *error /= *count;
    return sum / *count;
}

struct sums {
    double within, between;   /* sums of squares over points: of runs in units, of units */
    double error, unit_error; /* the same that the estimates' own errors explain */
};

static void add_point(struct sums *sums, const struct between_run *run, size_t runs, size_t units,
                      size_t point)
{
    double *mean = memory_new(units, sizeof *mean), all = 0, unit_error = 0;
    size_t unit = 0;
    for (size_t r = 0; r < runs; r++) {
        double count, error, of_unit = mean_of_unit(run, runs, r, point, &count, &error);
        sums->within += pow(run[r].point[point].log_seconds - of_unit, 2);
        sums->error += (count - 1) / count * pow(run[r].point[point].error, 2);
        if (!is_first(run, r))
            continue;
        all += of_unit / (double)units;
        unit_error += error / count / (double)units;
        mean[unit++] = of_unit;
    }
    for (size_t u = 0; u < units; u++)
        sums->between += pow(mean[u] - all, 2);
    sums->unit_error += unit_error * ((double)units - 1);
    free(mean);
}

static void count_held(struct between *between, const struct between_run *run, size_t runs, size_t points,
                       const bool *member)
{
    double held[2] = {0, 0}, pairs[2] = {0, 0};
    for (size_t a = 0; a < runs; a++)
        for (size_t b = a + 1; b < runs; b++)
            for (size_t p = 0; p < points; p++) {
                if (!member[p])
                    continue;
                const struct levels_estimate *x = &run[a].point[p], *y = &run[b].point[p];
                const struct student_part parts[] = {{x->error * x->error, x->dof},
                                                     {y->error * y->error, y->dof}};
                struct student_part sum = student_sum(parts, 2);
                int other = run[a].unit != run[b].unit;
                pairs[other]++;
                held[other] += fabs(x->log_seconds - y->log_seconds) <=
                               student_critical(0.05, sum.dof) * sqrt(sum.variance);
            }
    between->held_run = pairs[0] > 0 ? held[0] / pairs[0] : NAN;
    between->held_unit = pairs[1] > 0 ? held[1] / pairs[1] : NAN;
}

struct between between_of(const struct between_run *run, size_t runs, size_t points, double from, double to)
{
    struct between between = {.runs = runs, .run = NAN, .unit = NAN};
    struct sums sums = {0};
    bool *member = memory_new(points + 1, sizeof *member);
    double inverse = 0;
    for (size_t r = 0; r < runs; r++)
        if (is_first(run, r)) {
            double count = 0;
            for (size_t other = 0; other < runs; other++)
                count += run[other].unit == run[r].unit;
            inverse += 1 / count;
            between.units++;
        }
    for (size_t p = 0; p < points; p++) {
        member[p] = is_complete(run, runs, p, from, to);
        between.points += member[p];
        if (member[p])
            add_point(&sums, run, runs, between.units, p);
    }
    between.run_dof = (double)(runs - between.units);
    between.unit_dof = (double)between.units - 1;
    double n = (double)between.points;
    if (n > 0 && between.run_dof > 0)
        between.run = fmax(0, (sums.within - sums.error) / (n * between.run_dof));
    if (n > 0 && between.unit_dof > 0) {
        double of_runs = (isnan(between.run) ? 0 : between.run) * inverse / (double)between.units;
        between.unit = fmax(0, (sums.between - sums.unit_error) / (n * between.unit_dof) - of_runs);
    }
    count_held(&between, run, runs, points, member);
    free(member);
    return between;
}

void between_add(const struct between *between, bool unit, struct levels_estimate *estimate)
{
    if (estimate->basis == LEVELS_NONE)
        return;
    const struct student_part parts[] = {{between->run > 0 ? between->run : 0, between->run_dof},
                                         {unit && between->unit > 0 ? between->unit : 0, between->unit_dof}};
    struct student_part sum = student_sum(parts, 2);
    estimate->between = sum.variance;
    estimate->between_dof = sum.dof;
    levels_estimate_finish(estimate);
}
