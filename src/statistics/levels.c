#include "statistics/levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static int compare_cells(const void *a, const void *b)
{
    const struct levels_cell *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->process > y->process) - (x->process < y->process);
}

/* Average the sorted values of each run of equal keys into one unit; returns how many there are. */
static size_t merge(struct levels_unit *units, size_t count, const uint32_t *device)
{
    size_t merged = 0;
    for (size_t from = 0, to = 0; from < count; from = to) {
        struct levels_unit sum = {.id = device ? device[from] : units[from].id};
        for (; to < count && (device ? device[to] == device[from] : units[to].id == units[from].id); to++) {
            sum.log_median += units[to].log_median;
            sum.variance += units[to].variance;
        }
        double share = 1 / (double)(to - from);
        units[merged++] = (struct levels_unit){sum.id, sum.log_median * share, sum.variance * share * share};
    }
    return merged;
}

/* The processes of sorted cells as units, and the device of each. */
static size_t processes_of(const struct levels_cell *sorted, size_t count, struct levels_unit *units,
                           uint32_t *device)
{
    size_t processes = 0;
    for (size_t from = 0, to = 0; from < count; from = to) {
        while (to < count && compare_cells(&sorted[to], &sorted[from]) == 0) {
            units[to] = (struct levels_unit){sorted[to].process, sorted[to].log_median, sorted[to].variance};
            to++;
        }
        size_t start = processes;
        merge(units + from, to - from, NULL);
        units[start] = units[from];
        device[start] = sorted[from].device;
        processes++;
    }
    return processes;
}

struct levels levels_of(const struct levels_cell *cells, size_t count)
{
    struct levels levels = {.count = 0};
    if (!count)
        return levels;
    struct levels_cell *sorted = memory_new(count, sizeof *sorted);
    uint32_t *device = memory_new(count, sizeof *device);
    memcpy(sorted, cells, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_cells);
    levels.kind = cells[0].kind;
    levels.unit = memory_new(count, sizeof *levels.unit);
    levels.count = processes_of(sorted, count, levels.unit, device);
    if (sorted[0].device != sorted[count - 1].device) {
        levels.top = LEVELS_DEVICE;
        levels.count = merge(levels.unit, levels.count, device);
    }
    free(device);
    free(sorted);
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
    const struct student_part rest[] = {{estimate->own, estimate->own_dof},
                                        {estimate->between, estimate->between_dof}};
    const struct student_part parts[] = {{estimate->common, estimate->common_dof}, student_sum(rest, 2)};
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
    e.kind = levels->kind;
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
