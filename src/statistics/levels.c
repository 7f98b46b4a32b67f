#include "statistics/levels.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "statistics/student.h"
#include "statistics/within.h"

/* Variances below this are the clock's resolution, not knowledge: a relative deviation of 1e-5. */
#define VARIANCE_FLOOR 1e-10

struct levels_cell levels_cell_of(uint32_t device, uint32_t process, const double *times, size_t count)
{
    struct within within = within_of(times, count);
    return (struct levels_cell){.device = device,
                                .process = process,
                                .log_median = log(within.median),
                                .variance = within.error * within.error,
                                .dof = within.dof,
                                .spread = within.spread,
                                .samples = count};
}

/* A cell, a process or a device, on the way to units. */
struct member {
    uint32_t device, process;
    double log_median, variance;
};

static int compare_members(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->process > y->process) - (x->process < y->process);
}

/* Average each run of sorted members of one process, or of one device; returns how many there are. */
static size_t average(struct member *member, size_t count, bool of_process)
{
    size_t merged = 0;
    for (size_t from = 0, to = 0; from < count; from = to) {
        struct member sum = {.device = member[from].device, .process = member[from].process};
        for (; to < count && member[to].device == sum.device &&
               (!of_process || member[to].process == sum.process);
             to++) {
            sum.log_median += member[to].log_median;
            sum.variance += member[to].variance;
        }
        double share = 1 / (double)(to - from);
        sum.log_median *= share;
        sum.variance *= share * share;
        member[merged++] = sum;
    }
    return merged;
}

struct levels levels_of(const struct levels_cell *cells, size_t count)
{
    struct levels levels = {.count = 0};
    if (!count)
        return levels;
    struct member *member = memory_new(count, sizeof *member);
    for (size_t i = 0; i < count; i++)
        member[i] =
            (struct member){cells[i].device, cells[i].process, cells[i].log_median, cells[i].variance};
    qsort(member, count, sizeof *member, compare_members);
    levels.kind = cells[0].kind;
    levels.count = average(member, count, true);
    if (member[0].device != member[levels.count - 1].device) {
        levels.top = LEVELS_DEVICE;
        levels.count = average(member, levels.count, false);
    }
    levels.unit = memory_new(levels.count, sizeof *levels.unit);
    for (size_t i = 0; i < levels.count; i++)
        levels.unit[i] =
            (struct levels_unit){levels.top == LEVELS_DEVICE ? member[i].device : member[i].process,
                                 member[i].log_median, member[i].variance};
    free(member);
    return levels;
}

void levels_free(struct levels *levels)
{
    free(levels->unit);
    levels->unit = NULL;
    levels->count = 0;
}

void levels_estimate_finish(struct levels_estimate *estimate)
{
    const struct student_part parts[] = {{estimate->common, estimate->common_dof},
                                         {estimate->own, estimate->own_dof}};
    struct student_part sum = student_sum_wide(parts, 2);
    estimate->error = sqrt(sum.variance);
    estimate->dof = sum.dof;
    double half = sum.variance > 0 ? student_critical(0.05, sum.dof) * estimate->error : 0;
    estimate->seconds = exp(estimate->log_seconds);
    estimate->low = exp(estimate->log_seconds - (isnan(sum.variance) ? NAN : half));
    estimate->high = exp(estimate->log_seconds + (isnan(sum.variance) ? NAN : half));
}

/* The mean of the units' values and of their variances, and the variance between the values. */
static void moments(const struct levels_unit *unit, size_t count, double *mean, double *within,
                    double *between)
{
    double sum = 0, variances = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        sum += unit[i].log_median;
        variances += unit[i].variance;
    }
    *mean = sum / (double)count;
    *within = variances / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (unit[i].log_median - *mean) * (unit[i].log_median - *mean);
    *between = count > 1 ? squares / (double)(count - 1) : NAN;
}

struct levels_estimate levels_estimate_begin(const struct levels *levels, const struct levels_cell *cells)
{
    struct levels_estimate e = {.log_seconds = NAN, .own = NAN, .own_dof = 1, .common_dof = INFINITY};
    e.units = levels->count;
    e.top = levels->top;
    if (levels->count) {
        double within, between;
        moments(levels->unit, levels->count, &e.log_seconds, &within, &between);
        e.basis = levels->count > 1 ? LEVELS_ALONE : LEVELS_WITHIN;
        /* fmax passes over a NaN: one sample a process has no scatter, one process no between */
        e.own = fmax(fmax(between, within), VARIANCE_FLOOR) / (double)levels->count;
        e.own_dof = levels->count > 1 ? (double)(levels->count - 1) : cells[0].dof;
    }
    return e;
}

struct levels_estimate levels_estimate_alone(const struct levels_cell *cells, size_t count)
{
    struct levels levels = levels_of(cells, count);
    struct levels_estimate e = levels_estimate_begin(&levels, cells);
    levels_estimate_finish(&e);
    levels_free(&levels);
    return e;
}
