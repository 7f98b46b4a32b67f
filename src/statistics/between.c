#include "statistics/between.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "statistics/student.h"

static bool is_chosen(const struct between_run *run, size_t runs, size_t point, struct between_choice choice)
{
    double sum = 0;
    for (size_t r = 0; r < runs; r++) {
        if (run[r].point[point].basis == LEVELS_NONE ||
            (choice.kind != LEVELS_KINDS && run[r].point[point].kind != choice.kind))
            return false;
        sum += run[r].point[point].log_seconds;
    }
    double seconds = exp(sum / (double)runs);
    return seconds >= choice.from && seconds < choice.to;
}

/* Whether run r is the first of its unit. */
static bool is_first(const struct between_run *run, size_t r)
{
    for (size_t before = 0; before < r; before++)
        if (run[before].unit == run[r].unit)
            return false;
    return true;
}

static bool is_first_of_group(const struct between_run *run, size_t r)
{
    for (size_t before = 0; before < r; before++)
        if (run[before].group == run[r].group)
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

/* A unit at a point. */
struct unit_mean {
    double mean, error; /* of its runs; the variance of the mean that the estimates' own errors explain */
    uint32_t group;
};

/* The units of a group about their mean. */
static void add_group(struct sums *sums, const struct unit_mean *unit, size_t units, uint32_t group)
{
    double mean = 0, error = 0, count = 0;
    for (size_t u = 0; u < units; u++)
        if (unit[u].group == group) {
            mean += unit[u].mean;
            error += unit[u].error;
            count++;
        }
    for (size_t u = 0; u < units; u++)
        sums->between += unit[u].group == group ? pow(unit[u].mean - mean / count, 2) : 0;
    sums->unit_error += error / count * (count - 1);
}

static void add_point(struct sums *sums, const struct between_run *run, size_t runs, size_t units,
                      size_t point)
{
    struct unit_mean *unit = memory_new(units, sizeof *unit);
    size_t known = 0;
    for (size_t r = 0; r < runs; r++) {
        double count, error, of_unit = mean_of_unit(run, runs, r, point, &count, &error);
        sums->within += pow(run[r].point[point].log_seconds - of_unit, 2);
        sums->error += (count - 1) / count * pow(run[r].point[point].error, 2);
        if (is_first(run, r))
            unit[known++] = (struct unit_mean){of_unit, error / count, run[r].group};
    }
    for (size_t u = 0; u < units; u++) {
        bool seen = false;
        for (size_t before = 0; before < u; before++)
            seen |= unit[before].group == unit[u].group;
        if (!seen)
            add_group(sums, unit, units, unit[u].group);
    }
    free(unit);
}

static void count_held(struct between *between, const struct between_run *run, size_t runs, size_t points,
                       const bool *member)
{
    double held[2] = {0, 0}, pairs[2] = {0, 0};
    for (size_t a = 0; a < runs; a++)
        for (size_t b = a + 1; b < runs; b++)
            for (size_t p = 0; p < points; p++) {
                if (!member[p] || run[a].group != run[b].group)
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

struct between between_of(const struct between_run *run, size_t runs, size_t points,
                          struct between_choice choice)
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
            between.groups += is_first_of_group(run, r);
        }
    for (size_t p = 0; p < points; p++) {
        member[p] = is_chosen(run, runs, p, choice);
        between.points += member[p];
        if (member[p])
            add_point(&sums, run, runs, between.units, p);
    }
    between.run_dof = (double)(runs - between.units);
    between.unit_dof = (double)(between.units - between.groups);
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
